// tasks.mjs - the seven tasks: the costliest kernel and who launched it, a pull request against main,
// what to optimize at which shapes, two GPUs by layer, the straggler, why the GPU is idle, and a
// report for a pull request.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import {FASTER} from './fill.mjs';

const MAX_CLICKS = 3;

export default async function tasks(test, {open, base}) {
	const times = [];

	// `does` gets the home page of a project and a function that clicks.
	async function task(name, project, does, options) {
		await test(name, async () => {
			const began = Date.now();
			const page = await open(`/?project=${project}`, options);
			let clicks = 0;
			await does(page, async (place) => {
				clicks++;
				await place.click();
			});
			assert.ok(clicks <= MAX_CLICKS, `${clicks} clicks`);
			times.push(`${clicks} clicks, ${((Date.now() - began) / 1000).toFixed(1)} s: ${name}`);
		});
	}

	const newest = (page) => page.getByRole('region', {name: 'Newest'}).getByRole('link').last();
	const withMain = async (page, click) => {
		await click(newest(page));
		assert.equal(await page.getByRole('link', {name: 'Compare with…'}).getAttribute('class'), 'button plain');
		await click(page.getByRole('button', {name: 'Compare with main'}));
		await page.getByRole('heading', {level: 1, name: /^The iteration takes .* longer/}).waitFor();
	};

	await task('the costliest kernel, and who launched it', 'callers', async (page, click) => {
		await click(newest(page));
		const costliest = page.getByRole('table', {name: 'Kernels with the most time'}).locator('tbody tr').first().getByRole('link');
		const name = await costliest.innerText();
		await click(costliest);
		const callers = page.getByRole('table', {name: `Callers of ${name}`});
		await seen(async () => assert.match(await callers.locator('tbody tr').first().innerText(), /model\.py\(41\): forward/));
	});

	await task('a pull request against main', 'pr', async (page, click) => {
		await withMain(page, click);
		assert.match(await page.getByRole('heading', {level: 1}).innerText(), /norm/);
		await seen(async () => assert.match((await cells(page, 'Functions'))[0].join(' '), /regressed.*norm/));
	});

	await task('what to optimize, and at which shapes', 'fleet', async (page, click) => {
		const first = page.getByRole('table', {name: 'Largest headroom'}).locator('tbody tr').first();
		const [operator, hours] = [await first.getByRole('link').innerText(), Number(await first.locator('td').first().innerText())];
		await click(first.getByRole('link'));
		const shapes = page.getByRole('table', {name: new RegExp(`^Shapes of ${operator}`)});
		await shapes.waitFor();
		const saved = await shapes.locator('tbody tr').evaluateAll((all) => all.map((tr) => Number(tr.cells[1].innerText.replaceAll(',', ''))));
		assert.ok(saved[0] > 0 && hours > 0, `${saved[0]} of ${hours}`);
		assert.deepEqual(saved, [...saved].sort((a, b) => b - a));
	});

	await task('an H100 against an MI300X by layer', 'gpus', async (page, click) => {
		await click(newest(page));
		await click(page.getByRole('tab', {name: 'Layers', exact: true}));
		await click(page.getByRole('link', {name: 'By layer with AMD Instinct MI300X'}));
		const changes = page.getByRole('table', {name: 'Changes', exact: true});
		await changes.waitFor();
		assert.match(await changes.locator('tbody tr').first().innerText(), /attention/);
		assert.match(await changes.locator('tbody tr').first().innerText(), /−50\.0 ?%/);
		await page.getByText(FASTER).first().waitFor({state: 'attached'});
	});

	const layersOf = async (page, click, link) => {
		await click(link);
		await page.getByRole('heading', {level: 1, name: /AMD Instinct MI300X|MI300X/}).waitFor();
		await page.getByRole('table', {name: 'Changes', exact: true}).waitFor();
	};

	await task('two GPUs by layer, from the list of runs', 'gpus', async (page, click) => {
		await click(page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Runs', exact: true}));
		await layersOf(page, click, page.getByRole('link', {name: 'By layer with AMD Instinct MI300X'}).first());
	});

	await task('two GPUs by layer, from the page of a run', 'gpus', async (page, click) => {
		await click(newest(page));
		await click(page.getByRole('link', {name: 'Compare layer by layer…'}));
		await layersOf(page, click, page.getByRole('link', {name: 'By layer with AMD Instinct MI300X'}));
	});

	await task('the straggler of a job', 'ranks', async (page, click) => {
		const line = page.getByRole('listitem').filter({hasText: 'Unbalanced ranks'});
		await line.getByText(/ranks 0 and 1 wait \d+ % of the recorded time, mostly for rank 2/).waitFor();
		await click(line.getByRole('link'));
		await seen(async () => assert.deepEqual((await cells(page, 'Time of each operator, above the median rank'))[2], ['rank 2', '+30.0']));
	});

	await task('why the GPU is idle', 'idle', async (page, click) => {
		await click(newest(page));
		await page.getByText('The GPU is idle for 36.7 % of the time (400 µs) because the host waits in a synchronizing call').waitFor();
		await seen(async () => assert.match((await cells(page, 'Longest gaps'))[0].join(' '), /420\.000.*Synchronization 95\.2 %.*cudaStreamSynchronize/s));
	});

	await task('a report for a pull request', 'pr', async (page, click) => {
		await withMain(page, click);
		await click(page.getByRole('button', {name: 'Copy as Markdown'}).first());
		await seen(async () => assert.ok((await page.evaluate(() => navigator.clipboard.readText()))
			.startsWith(`## ❔ [Comparison](<${base}/compare?`)));
	}, {permissions: ['clipboard-read', 'clipboard-write']});

	console.log(times.join('\n'));
}
