// launches.mjs - tests the callers of a kernel and its launch latency.
//
// The numbers are those of data/README.md. A run without launches is marked on every page.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {cells, data, seen, text, upload} from './world.mjs';

const KERNELS = 'Kernel statistics';

async function callers(test, {open, api}, run) {
	const {items: [kernel]} = await (await api(`${run}/kernels`)).json();
	const button = (page) => page.getByRole('button', {name: 'gemm_kernel', exact: true});
	const shown = (page) => cells(page, 'Callers of gemm_kernel');

	await test('a kernel opens to its callers with the keyboard; the address opens it again', async () => {
		const page = await open(`${run}?tab=kernels`);
		await button(page).focus();
		await seen(async () => assert.equal(await button(page).getAttribute('aria-expanded'), 'false'));
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(await button(page).getAttribute('aria-expanded'), 'true'));
		await page.getByRole('table', {name: 'Callers of gemm_kernel'}).waitFor();
		await seen(async () => assert.deepEqual((await shown(page)).map((r) => r.slice(1)), [['1', '1', '45.000', '45.0'],
			['1', '2', '40.000', '40.0'], ['1', '1', '10.000', '10.0'], ['1', '2', '5.000', '5.0']]));
		await seen(async () => assert.deepEqual((await shown(page)).map((r) => r[0].replace(/\s+/g, ' ')), [
			'range ProfilerStep#* operator aten::add',
			'4 more frames range ProfilerStep#* ⋮ Python train.py(5): step_5 Python train.py(6): step_6 Python train.py(7): step_7 '
				+ 'operator aten::mm',
			'No range, module, Python function or operator was active around the call.',
			'The trace has no API call for these launches: the call was before the recording, or a graph was replayed.']));

		await seen(async () => assert.equal(new URL(page.url()).search, `?tab=kernels&kernel=${kernel.id}`));
		const again = await open(`${run}?kernel=${kernel.id}`);
		await again.getByRole('table', {name: 'Callers of gemm_kernel'}).waitFor();
		await seen(async () => assert.equal(await button(again).getAttribute('aria-expanded'), 'true'));
		await button(again).click();
		await seen(async () => assert.equal(await again.getByRole('table', {name: 'Callers of gemm_kernel'}).count(), 0));
		await seen(async () => assert.equal(new URL(again.url()).search, '?tab=kernels'));
	});

	await test('outer frames unfold and fold, in their order', async () => {
		const page = await open(`${run}?kernel=${kernel.id}`);
		const path = page.locator('.path').nth(1).locator('li');
		const fold = page.getByRole('button', {name: '4 more frames'});
		await fold.click();
		await seen(async () => assert.equal(await fold.getAttribute('aria-expanded'), 'true'));
		await seen(async () => assert.deepEqual(await path.locator('code').allInnerTexts(), ['ProfilerStep#*',
			...[1, 2, 3, 4, 5, 6, 7].map((i) => `train.py(${i}): step_${i}`), 'aten::mm']));
		await fold.click();
		await seen(async () => assert.deepEqual(await path.locator('code').allInnerTexts(), ['ProfilerStep#*',
			...[5, 6, 7].map((i) => `train.py(${i}): step_${i}`), 'aten::mm']));
	});
}

// The launches of gemm_kernel in callers.json: 6, in ns.
const TRACE = JSON.parse(fs.readFileSync(data('callers.json')));
const GEMM = (TRACE.traceEvents ?? TRACE).filter((e) => e.cat === 'kernel' && e.name.includes('gemm_kernel')).map((e) => Math.round(e.dur * 1000)).sort((a, b) => a - b);

async function spread(test, {open, api}, run) {
	const {items: [kernel]} = await (await api(`${run}/kernels`)).json();
	const where = `${run}?kernel=${kernel.id}`;

	await test('the details of a kernel show its launches: histogram, over time, by stream', async () => {
		assert.equal(GEMM.length, 6);
		const page = await open(where);
		const histogram = page.getByRole('img', {name: /^Histogram of the durations of 6 launches on a logarithmic axis: p50 /});
		await histogram.waitFor();
		await seen(async () => assert.deepEqual((await histogram.locator('.percentile-name').allTextContents()).map((t) => t.slice(0, 4)), ['p50 ', 'p99 ']));
		assert.ok(await histogram.locator('.bin').count() <= new Set(GEMM).size);
		const figure = page.locator('figure', {has: histogram});
		await figure.locator('summary').click();
		const bins = await cells(page, 'Durations of 6 launches, data');
		assert.equal(bins.reduce((n, r) => n + Number(r[2]), 0), 6, 'each launch is in one bin');
		assert.ok(bins[0][2] !== '0' && bins.at(-1)[2] !== '0');
		await page.getByRole('img', {name: /^Durations of 6 launches over the run: the median and the longest of \d+ slices of time/}).waitFor();
		await seen(async () => assert.equal((await cells(page, 'Streams of gemm_kernel')).reduce((n, r) => n + Number(r[2]), 0), 6));
		// the keys select a bar, and its text is read
		await histogram.focus();
		await page.keyboard.press('Home');
		await seen(async () => assert.match(await figure.locator('.readout').innerText(), / to .*: 1 launch, 16\.7 %$/));
	});

	await test('if the launches cannot be read, the details say so and keep the rest', async () => {
		let busy = true;
		const at = `${run}/kernels/${kernel.id}/launches`;
		const found = await (await api(at)).json();
		const page = await open(where, {allowed: /503/, answers: {[at]: () => (busy ? {refused: [503, 'unavailable', 'the server has enough to do']} : found)}});
		await page.getByText('The launches are missing: the server has enough to do.').waitFor();
		await page.getByRole('table', {name: 'Callers of gemm_kernel'}).waitFor();
		busy = false;
		await page.getByRole('button', {name: 'Try again'}).click();
		await page.getByRole('img', {name: /^Histogram of the durations/}).waitFor();
	});
}

async function latency(test, {open, api}, run) {
	await test('launch latency: averages first, every statistic selectable', async () => {
		const page = await open(run);
		await page.getByRole('tab', {name: 'Launched together'}).focus();
		await page.keyboard.press('ArrowRight');
		await page.getByRole('table', {name: 'Launch latency'}).waitFor();
		await seen(async () => assert.match(page.url(), /\?tab=launches$/));
		await seen(async () => assert.deepEqual((await cells(page, 'Launch latency')).map((r) => r.slice(0, 9)),
			[['gemm_kernel', 'cudaLaunchKernel', '4', '36.500', '5.000', '11.667', '23.750', '3', '0']]));
		await page.getByRole('radio', {name: 'Max'}).check();
		await seen(async () => assert.deepEqual((await cells(page, 'Launch latency'))[0].slice(3, 7),
			['55.000', '5.000', '15.000', '45.000']));
		await page.getByRole('radio', {name: 'All'}).check();
		await seen(async () => assert.equal((await cells(page, 'Launch latency'))[0].length, 26));
		await page.getByRole('button', {name: 'Queue min (µs)'}).click();
		const again = await open(run + new URL(page.url()).search);
		await seen(async () => assert.equal(await again.locator('th[aria-sort]').innerText(), 'Queue min (µs)'));
		await again.getByRole('link', {name: 'gemm_kernel'}).click();
		await again.getByRole('table', {name: 'Callers of gemm_kernel'}).waitFor();
	});

	await test('the CSV of launch latency equals the API\'s, with the same filter', async () => {
		const page = await open(`${run}?tab=launches&q=GEMM`);
		const [download] = await Promise.all([page.waitForEvent('download'),
			page.getByRole('tabpanel').getByRole('link', {name: 'CSV'}).click()]);
		assert.equal(await text(download), await (await api(`${run}/launches?q=GEMM&format=csv`)).text());
		await page.getByRole('searchbox').fill('nothing');
		await seen(async () => assert.deepEqual((await cells(page, 'Launch latency'))[0], ['No kernel or call matches the search.']));
	});
}

async function table(test, {open, base}, run) {
	await test('a run from a table is marked in the list, and a filter finds it', async () => {
		const page = await open('/runs');
		await page.getByLabel('Content').selectOption('statistics only');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.waitForURL(/content=statistics/);
		await page.getByRole('link', {name: 'Clear'}).waitFor();
		await seen(async () => assert.deepEqual(await page.locator('tbody th a').evaluateAll((all) => all.map((a) => a.href)), [base + run]));
		await seen(async () => assert.equal(await page.locator('tbody .mark').innerText(), 'statistics only'));
		await seen(async () => assert.deepEqual(await page.locator('tbody td:nth-child(8), tbody td:nth-child(9)').evaluateAll((all) =>
			all.map((td) => [td.innerText, td.title])), Array(2).fill(['–', 'unknown: statistics only'])));
	});

	await test('the page of such a run lists what is unknown above every table, and shows no 0 for it', async () => {
		const page = await open(`${run}?tab=kernels`);
		await seen(async () => assert.equal(await page.locator('.title .mark').innerText(), 'statistics only'));
		await seen(async () => assert.deepEqual(await page.locator('.drawer .totals dd').allTextContents(), ['–', '–', '5.000 µs', '6', '2', '–', '–']));
		await seen(async () => assert.deepEqual((await cells(page, KERNELS)).map((r) => [r[0], ...r.slice(3, 13)]), [
			['alpha', '80.0', '4.000', '4', '1.000', '0.900', '0.500', '1.700', '0.503', '–', '–'],
			['beta_kernel', '20.0', '1.000', '2', '0.500', '0.500', '0.400', '0.600', '0.141', '–', '–']]));
		await seen(async () => assert.deepEqual(await page.locator('tbody tr').first().locator('td').evaluateAll((all) =>
			all.filter((td) => td.innerText === '–').map((td) => td.title)),
		['no naming rule matches this name', 'unattributed', 'unknown: statistics only', 'unknown: statistics only', 'unknown: statistics only', 'unknown']));
		// The first tab says it part by part.
		for (const tab of ['Kernels', 'Launch latency', 'Copies and sets', 'Devices']) {
			await page.getByRole('tab', {name: tab, exact: true}).click();
			await page.getByRole('tab', {name: tab, exact: true, selected: true}).waitFor();
			await seen(async () => assert.match(await page.getByRole('tabpanel').locator('.notice').innerText(),
				/^statistics only These numbers come from a table of statistics;/));
		}
		await seen(async () => assert.equal(await page.getByRole('button', {name: 'Open in Perfetto'}).count(), 0));
		await page.getByText('Details: process, upload, totals, timeline').click();
		await page.getByText('This run has no timeline, because it has no single launches.').waitFor();
	});
}

async function patterns(test, {open, api}) {
	await test('a pattern CSV and its counters are sent as one file', async () => {
		const page = await open('/uploads');
		await page.getByText('Pattern CSV with counters').click();
		await page.getByLabel('Patterns').setInputFiles(data('patterns.csv'));
		await page.getByLabel('Counters').setInputFiles(data('counters.csv'));
		await page.getByRole('button', {name: 'Upload both'}).click();
		await page.locator('.card .state.done').waitFor();
		await page.getByRole('link', {name: /^Run #/}).click();
		await page.locator('.crumbs').waitFor();
		await seen(async () => assert.equal(await page.locator('.title').innerText().then((t) => t.replace(/\s+/g, ' ')),
			'patterns.csv patterns only ' + 'Warning 3 notes'));
		await page.getByRole('tab', {name: 'Kernels', exact: true}).click();
		await seen(async () => assert.deepEqual((await cells(page, KERNELS)).map((r) => [r[0], ...r.slice(3, 9)]), [
			['alpha', '75.0', '300.000', '3', '100.000', '–', '–'],
			['beta_kernel', '25.0', '100.000', '2', '50.000', '–', '–']]));
		const {items} = await (await api(`${new URL(page.url()).pathname}/notes`)).json();
		assert.deepEqual(items.map((n) => n.code).sort(), ['counter_host', 'no_device_name', 'patterns_only']);
	});
}

// Twelve decode steps of 4 sequences that take 1 ms each. With `watts`, a step takes 1 s, and the
// power is sampled once a second.
function engine(watts) {
	const traceEvents = [];
	const step = watts ? 1_000_000 : 1000;
	for (let i = 0; i < 12; i++) {
		const ts = step * (i + 1);
		traceEvents.push(
			{ph: 'X', cat: 'user_annotation', name: 'execute_context_0(0)_generation_4(4)', pid: 1, tid: 2, ts, dur: step - 10, args: {}},
			{ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 2, ts: ts + 10, dur: 5, args: {correlation: i + 1}},
			{ph: 'X', cat: 'kernel', name: 'decode', pid: 0, tid: 7, ts: ts + 50, dur: step - 100, args: {device: 0, stream: 7, correlation: i + 1}});
		if (watts)
			for (const s of i ? [0] : [0, -step])
				traceEvents.push({ph: 'C', name: 'gpu_power_mean', pid: 1, tid: 0, ts: ts + s, args: {device: 0, value: watts}});
	}
	if (watts) traceEvents.push({ph: 'C', name: 'gpu_power_mean', pid: 1, tid: 0, ts: 13 * step, args: {device: 0, value: watts}});
	return JSON.stringify({schemaVersion: 1, deviceProperties: [{id: 0, name: 'NVIDIA H200'}], traceEvents});
}

// Ten steps of 7.3 s: gemm with 400 W for 3 s, rms_norm with 100 W for 2 s, and idle time with 60 W.
function divided() {
	const traceEvents = [];
	const spans = [];
	const kernels = [
		['sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas', 3, 400],
		['void vllm::rms_norm_kernel<8>(float*)', 2, 100],
	];
	for (let i = 0; i < 10; i++) {
		let at = 1 + 7.3 * i;
		const ts = at * 1e6;
		traceEvents.push({ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${i + 1}`, pid: 1, tid: 2, ts, dur: 7_290_000, args: {}});
		for (const [k, [name, s, watts]] of kernels.entries()) {
			const correlation = 2 * i + k + 1;
			const start = Math.round(at * 1e6) + 2000;
			traceEvents.push(
				{ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 2, ts: ts + 10 + 10 * k, dur: 5, args: {correlation}},
				{ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: start, dur: s * 1e6, args: {device: 0, stream: 7, correlation}},
			);
			spans.push([start / 1e6, start / 1e6 + s, watts]);
			at += s;
		}
	}
	for (let i = 0; i < 750; i++) {
		const joules = spans
			.map(([from, to, watts]) => Math.max(0, Math.min(i / 10, to) - Math.max(i / 10 - 0.1, from)) * watts)
			.reduce((sum, j) => sum + j, 0);
		traceEvents.push({ph: 'C', name: 'gpu_power_mean', pid: 1, tid: 0, ts: i * 1e5, args: {device: 0, value: 60 + joules / 0.1}});
	}
	return JSON.stringify({schemaVersion: 1, deviceProperties: [{id: 0, name: 'NVIDIA H200'}], traceEvents});
}

async function serving(test, world) {
	await test('what an engine does per second, on the tab of its iterations', async () => {
		const file = path.join(world.shots, 'engine.json');
		fs.writeFileSync(file, engine());
		const page = await world.open(`${await upload(world, file)}?tab=iterations`);
		await page.getByRole('table', {name: 'Serving'}).waitFor();
		const {phases: [{tokens_per_s}]} = await (await world.api(`${new URL(page.url()).pathname}/serving`)).json();
		assert.ok(tokens_per_s > 3990 && tokens_per_s < 4100, tokens_per_s);
		const [row] = await cells(page, 'Serving');
		assert.deepEqual([...row.slice(0, 2), ...row.slice(4, 6)], ['decode', '12', '4', '4']);
		assert.equal(row[2], row[3]);
		assert.equal(row[6], row[7]);
	});
}

async function energy(test, world) {
	const tab = async (watts) => {
		const file = path.join(world.shots, 'powered.json');
		fs.writeFileSync(file, engine(watts));
		return world.open(`${await upload(world, file)}?tab=iterations`);
	};
	await test('the energy of iterations and tokens, on their tab', async () => {
		const page = await tab(300);
		await page.getByRole('table', {name: 'Energy'}).waitFor();
		const [row] = await cells(page, 'Energy');
		assert.deepEqual(row.slice(0, 6), ['0', 'gpu_power_mean', '14', '0', '0', '300']);
		const {energy_j, token_j} = await (await world.api(`${new URL(page.url()).pathname}/energy`)).json();
		assert.ok(energy_j > 299.9 && energy_j <= 300 && Math.abs(token_j - energy_j / 4) < 1e-9, energy_j);
		await page.getByText('Energy per output token').waitFor();
		await page
			.getByText(/^The energy of operators on device 0 is unknown: samples of its power cover 1 window/)
			.waitFor();
	});
	await test('the energy of operators, next to that of their device', async () => {
		const file = path.join(world.shots, 'divided.json');
		fs.writeFileSync(file, divided());
		const page = await world.open(`${await upload(world, file)}?tab=iterations`);
		await page.getByRole('table', {name: 'Energy of operators'}).waitFor();
		const rows = await cells(page, 'Energy of operators');
		assert.deepEqual(
			rows.map((row) => [row[0], row[3], row[4], row[5]]),
			[
				['gemm', '0', '30.000 s', '1,200'],
				['rms_norm', '0', '20.000 s', '200'],
			],
		);
		await page.getByText(/Device 0 uses 60 W/).waitFor();
	});
	await test('power that is negative is no energy', async () => {
		const page = await tab(-300);
		await page.getByText(/^The energy of the run is unknown: no kept iteration is covered/).waitFor();
	});
}

export default async function launches(test, world) {
	const run = await upload(world, data('callers.json'));
	await callers(test, world, run);
	await spread(test, world, run);
	await latency(test, world, run);
	await table(test, world, await upload(world, data('table_cuda_gpu_kern_sum.csv')));
	await patterns(test, world);
	await serving(test, world);
	await energy(test, world);
}
