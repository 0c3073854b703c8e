// measure.mjs - measures how many milliseconds Chromium needs to draw and move 50,000 points:
// `../../with-postgres node measure.mjs`, with KERNSIFT_BIN and KERNSIFT_CHROMIUM.

import {newWorld} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const FRAMES = 120;

// Runs before the scripts of the page. Records when the answer arrived, and when the chart was
// on the screen.
function watch() {
	const look = () => {
		if (!document.querySelector('.u-over'))
			return requestAnimationFrame(look);
		return requestAnimationFrame(() => { window.drawnAt = performance.now(); });
	};
	requestAnimationFrame(look);
}

// Turns the wheel one step per frame; returns the time of each step and the time between frames.
function wheeled({frames, zoom}) {
	const over = document.querySelector('.u-over');
	const box = over.getBoundingClientRect();
	const work = [];
	const gaps = [];
	return new Promise((resolve) => {
		let before = null;
		let i = 0;
		const step = (now) => {
			if (before !== null)
				gaps.push(now - before);
			before = now;
			if (i++ === frames)
				return resolve({work, gaps});
			const from = performance.now();
			over.dispatchEvent(new WheelEvent('wheel', {ctrlKey: zoom, shiftKey: !zoom, deltaY: (zoom ? i < frames / 2 : i % 60 < 30) ? -40 : 40, bubbles: true, cancelable: true,
				clientX: box.left + box.width * 0.7, clientY: box.top + 50}));
			queueMicrotask(() => work.push(performance.now() - from));
			return requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	});
}

const summary = (list) => {
	const s = [...list].sort((a, b) => a - b);
	const at = (p) => s[Math.min(s.length - 1, Math.floor(s.length * p))].toFixed(1);
	return `median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`;
};

const world = await newWorld();
const page = await world.open('/runs', {answers: {'/trends': (query) => doc.long(query)}});
await page.addInitScript(watch);
await page.goto(`${world.base}/trends?workload=long`);
await page.waitForFunction(() => window.drawnAt, null, {timeout: 120000});
const first = await page.evaluate(() => window.drawnAt - performance.getEntriesByType('resource').find((e) => e.name.includes('/api/v1/trends')).responseEnd);
console.log(`first draw, from the answer to the screen: ${first.toFixed(0)} ms`);
for (const zoom of [true, false]) {
	if (!zoom)
		await page.getByRole('button', {name: 'Zoom in'}).click();
	const {work, gaps} = await page.evaluate(wheeled, {frames: FRAMES, zoom});
	console.log(`${zoom ? 'zoom' : 'pan'}, ${FRAMES} steps: duration of a step ${summary(work)} ms; time between frames ${summary(gaps)} ms`);
}
await world.end();
