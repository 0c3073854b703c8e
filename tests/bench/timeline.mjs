// timeline.mjs - opens the timeline of run 1 and zooms: `node timeline.mjs ROUNDS PORT`, with
// KERNSIFT_CHROMIUM.
//
// It prints a JSON array with the numbers of each round: the time from the end of the answer to the
// first picture, the time between frames while zooming, the same while nothing is drawn (how far
// other processes disturb the machine), and the time to draw one.

import {createRequire} from 'node:module';

const {chromium} = createRequire(new URL('../web/package.json', import.meta.url))('playwright-core');
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const [rounds, port] = process.argv.slice(2);
// Frames of zooming in, and again out.
const FRAMES = 90;

const browser = await chromium.launch({executablePath: process.env.KERNSIFT_CHROMIUM, args: FLAGS});

// Records when the canvas gets its pixels, and how long the callback takes that draws them.
function watchDrawing() {
	const put = CanvasRenderingContext2D.prototype.putImageData;
	const request = window.requestAnimationFrame.bind(window);
	window.pictures = [];
	window.drawn = [];
	let puts = 0;
	CanvasRenderingContext2D.prototype.putImageData = function (...args) {
		put.apply(this, args);
		puts++;
		request(() => window.pictures.push(performance.now()));
	};
	window.requestAnimationFrame = (call) => request((at) => {
		const [from, before] = [performance.now(), puts];
		call(at);
		if (puts > before) window.drawn.push(performance.now() - from);
	});
}

// Zooms in and out by one wheel event per frame, or does nothing (a step of 0); returns the times
// between frames.
async function zoom([frames, step]) {
	const canvas = document.querySelector('.timeline-canvas');
	const {left, top, width} = canvas.getBoundingClientRect();
	const times = [];
	let before = await new Promise(requestAnimationFrame);
	for (let i = 0; i < 2 * frames; i++) {
		const deltaY = i < frames ? -step : step;
		if (step)
			canvas.dispatchEvent(new WheelEvent('wheel', {deltaY, bubbles: true, cancelable: true,
				clientX: left + width * 0.6, clientY: top + 40}));
		const at = await new Promise(requestAnimationFrame);
		times.push(at - before);
		before = at;
	}
	return times;
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];

const out = [];
for (let i = 0; i < Number(rounds); i++) {
	const context = await browser.newContext({viewport: {width: 1280, height: 900}});
	const page = await context.newPage();
	await page.addInitScript(watchDrawing);
	await page.goto(`http://127.0.0.1:${port}/runs/1?tab=timeline`);
	await page.waitForFunction(() => window.pictures.length);
	const picture = await page.evaluate(() => {
		const {responseEnd} = performance.getEntriesByType('resource').find(({name}) => name.includes('timeline/strips'));
		return window.pictures[0] - responseEnd;
	});
	await page.locator('.timeline-canvas').scrollIntoViewIfNeeded();
	await page.waitForTimeout(500);
	await page.evaluate(() => { window.drawn = []; });
	const rest = await page.evaluate(zoom, [FRAMES, 0]);
	const frames = await page.evaluate(zoom, [FRAMES, 60]);
	const drawn = await page.evaluate(() => window.drawn);
	out.push({picture_ms: picture, frame_ms: quantile(frames, 0.5), frame_p95_ms: quantile(frames, 0.95),
		rest_p95_ms: quantile(rest, 0.95), draw_ms: quantile(drawn, 0.5)});
	await context.close();
}
await browser.close();
console.log(JSON.stringify(out));
