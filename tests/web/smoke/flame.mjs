// flame.mjs - tests the flame graph of a run, its comparison with another run, and merged callers.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {cells, seen, upload} from './world.mjs';

const LAYERS = 24;
const ODD = '<b>bold</b> \u202egnp.exe \u{1F600}';

// A model of 24 layers; each launches a softmax of `ns` and a gemm of 20 µs. Another kernel and its
// range have names that a page must not interpret.
function model(us) {
	const traceEvents = [];
	let ts = 0;
	let correlation = 0;
	const span = (cat, name, inside) => {
		const from = ts++;
		inside();
		traceEvents.push({ph: 'X', cat, name, pid: 7, tid: 7, ts: from, dur: ++ts - from, args: {}});
		ts++;
	};
	const launch = (name, dur) => {
		correlation++;
		traceEvents.push(
			{ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 7, tid: 7, ts, dur: 1, args: {correlation}},
			{ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: 100000 + 200 * correlation, dur, args: {device: 0, stream: 7, correlation}});
		ts += 2;
	};
	span('python_function', 'train.py(12): main', () => {
		for (let i = 0; i < LAYERS; i++)
			span('python_function', `nn.Module: EncoderLayer_${i}`, () => {
				span('python_function', 'models/vision.py(88): scores', () =>
					span('cpu_op', 'aten::_softmax', () => launch('softmax_forward', us)));
				span('cpu_op', 'aten::mm', () => launch('gemm_128x128', 20));
			});
		span('user_annotation', ODD, () => launch(ODD, 40));
	});
	return JSON.stringify({schemaVersion: 1, deviceProperties: [{id: 0, name: 'NVIDIA H200'}], traceEvents});
}

const made = (world, name, us) => {
	const file = path.join(world.shots, name);
	fs.writeFileSync(file, model(us));
	return upload(world, file);
};

const bars = (page) => page.getByRole('treeitem');
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
const opened = async ({open}, run, query = '') => {
	const page = await open(`${run}?tab=flame${query}`);
	await bars(page).first().waitFor();
	return page;
};

// 24 × 55 of 1840 µs is softmax, 24 × 20 gemm, 40 the other kernel.
async function graph(test, world, run) {
	await test('the costliest kernel and who launched it, two clicks from the page of the run', async () => {
		const page = await world.open(run);
		await page.getByRole('tab', {name: 'Flame graph'}).click();
		const answer = page.locator('.flame-answer');
		await answer.waitFor();
		await seen(async () => assert.match((await answer.innerText()).replace(/\s+/g, ' '),
			/^Costliest kernel: softmax_forward, 71\.7 % of GPU time\. 100\.0 % of it is launched by EncoderLayer_\* · scores, vision\.py:88\./));
		await page.getByRole('button', {name: 'Show in the graph'}).click();
		await seen(async () => assert.match(await focused(page), /^softmax_forward 71\.7 %, kernel, 1\.320 ms, 24 launches$/));
	});

	await test('names on narrow bars are cut at their end, inside their bar', async () => {
		const page = await opened(world, run);
		await page.setViewportSize({width: 500, height: 800});
		const text = (name) => bars(page).and(page.getByLabel(name)).first().evaluate((bar) => {
			const name = bar.querySelector('bdi');
			return [name?.textContent ?? '', !name || name.getBoundingClientRect().right <= bar.getBoundingClientRect().right];
		});
		await seen(async () => assert.deepEqual(await text(/^softmax_forward/), ['softmax_forward', true]));
		await seen(async () => assert.match((await text(/^gemm_128x128/)).join(), /^gemm_\d*…,true$/));
		await seen(async () => assert.deepEqual(await text(/^<b>bold/), ['', true]));
		// A bar is as wide as its time, however narrow it is.
		await seen(async () => assert.deepEqual(await bars(page).evaluateAll((all) => all.filter((bar) =>
			Math.abs(bar.offsetWidth - (parseFloat(bar.style.width) / 100) * bar.parentNode.clientWidth) > 1).length), 0));
	});

	await test('the keys move, zoom in and zoom out; the address has the zoom', async () => {
		const page = await opened(world, run);
		await bars(page).first().focus();
		for (const [key, due] of [['ArrowDown', /^main, train\.py:12 .*Python function/], ['ArrowDown', /^EncoderLayer_\* .*module, .*24 names are one/],
			['ArrowRight', /^<b>bold.* range/], ['ArrowLeft', /^EncoderLayer_\*/], ['ArrowDown', /^scores/], ['Enter', /^scores/]]) {
			await page.keyboard.press(key);
			await seen(async () => assert.match(await focused(page), due));
		}
		await seen(async () => assert.match(page.url(), /zoom=\d+/));
		const again = await opened(world, run, new URL(page.url()).search.replace('?tab=flame', ''));
		await seen(async () => assert.deepEqual(await bars(again).evaluateAll((all) => all.map((bar) => bar.style.width)), Array(6).fill('100%')));
		await page.keyboard.press('Escape');
		await seen(async () => assert.match(await focused(page), /^EncoderLayer_\*/));
		await page.keyboard.press('Backspace');
		await page.keyboard.press('Backspace');
		await seen(async () => assert.doesNotMatch(page.url(), /zoom/));
	});

	await test('the search counts the time of what it finds; names stay text', async () => {
		const page = await opened(world, run);
		await page.getByRole('searchbox', {name: 'Search the flame graph'}).fill('SOFTMAX');
		await page.getByText('2 bars found, 71.7 % of GPU time').waitFor();
		assert.equal(await page.locator('.flame .hit').count(), 2);
		await page.getByRole('searchbox', {name: 'Search the flame graph'}).fill('<b>bold');
		await page.getByText('2 bars found, 2.2 % of GPU time').waitFor();
		assert.equal(await page.locator('.flame b').count(), 0);
	});

	await test('the table has the numbers of the graph', async () => {
		const page = await opened(world, run);
		await page.getByText('Data table').click();
		await seen(async () => assert.deepEqual((await cells(page, 'Flame graph, data')).slice(0, 3).map((r) => [r[0], ...r.slice(2, 6)]), [
			['0 All kernels', '1,840.000', '100.0', '49', '1'], ['1 main, train.py:12', '1,840.000', '100.0', '49', '1'],
			['2 EncoderLayer_*', '1,800.000', '97.8', '48', '24']]));
	});
}

async function compared(test, world, run, other) {
	await test('the difference of two runs: 11 of 55 µs less, gemm unchanged', async () => {
		const page = await opened(world, run);
		await page.getByRole('textbox', {name: 'Id of the run to compare with'}).fill(other.split('/').at(-1));
		await page.getByRole('button', {name: 'Compare', exact: true}).click();
		await page.getByLabel('Changes').waitFor();
		await seen(async () => assert.match(page.url(), /against=\d+/));
		const softmax = page.getByRole('treeitem', {name: /^softmax_forward/});
		await seen(async () => assert.match(await softmax.getAttribute('aria-label'), /^softmax_forward \+264\.000 µs, .*the other run 1\.056 ms/));
		assert.match(await softmax.getAttribute('class'), /more-2/);
		assert.match(await page.getByRole('treeitem', {name: /^gemm/}).getAttribute('class'), /same/);
		await page.getByRole('button', {name: 'Only this run'}).click();
		await seen(async () => assert.doesNotMatch(page.url(), /against/));
	});
}

async function merged(test, world, run) {
	await test('the callers of a kernel are one path for all layers', async () => {
		const {items} = await (await world.api(`${run}/kernels?q=softmax`)).json();
		const page = await world.open(`${run}?tab=kernels&kernel=${items[0].id}`);
		await page.getByRole('table', {name: 'Callers of softmax_forward'}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Callers of softmax_forward')).map((r) => r.slice(1)),
			[['24', '24', '1,320.000', '100.0']]));
		await page.getByText('nn.Module: EncoderLayer_*').waitFor();
		assert.equal(await page.locator('.path .user').innerText(), 'models/vision.py(88): scores');
	});
}

async function failing(test, world, run) {
	await test('without an answer the page says so and keeps the rest', async () => {
		const page = await world.open(run, {allowed: /503/, answers: {[`${run}/call-tree`]: () => ({refused: [503, 'busy', 'the server is busy']})}});
		await page.getByRole('tab', {name: 'Flame graph'}).click();
		await page.getByText('the server is busy').waitFor();
		assert.ok(await page.getByRole('tabpanel').innerText());
	});

	await test('a run of statistics says why it has no graph', async () => {
		const {items: [table]} = await (await world.api('/runs?content=statistics')).json();
		const page = await world.open(`/runs/${table.id}?tab=flame`);
		await page.getByRole('tabpanel').getByText('Callers are unknown, because').waitFor();
	});
}

export default async function flame(test, world) {
	const run = await made(world, 'flame.json', 55);
	const other = await made(world, 'flame-other.json', 44);
	await graph(test, world, run);
	await compared(test, world, run, other);
	await merged(test, world, run);
	await failing(test, world, run);
}
