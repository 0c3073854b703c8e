// run.mjs - tests a run's operators: attribution sources, shapes, and another platform.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {cells, data, seen, upload} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const TABLE = 'Operators';
const flat = (rows) => rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')));

// Returns the answers for the operators of a run.
export const answered = (run) => ({[`${run}/operators`]: doc.runOperators, [`${run}/operators/gemm/shapes`]: doc.runShapes,
	[`${run}/unattributed`]: doc.runKernels, '/platforms': doc.platforms});

// Two unattributed kernels of 80 and 10 µs: no naming rule matches, and launches are unknown.
async function mysteries(world) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-mystery-'));
	const file = path.join(dir, 'mystery.json');
	const traceEvents = [['quux_<b>bold</b>', 100, 80], ['quux_small', 200, 10]].map(([name, ts, dur], i) =>
		({ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts, dur, args: {device: 0, stream: 7, correlation: i + 1}}));
	fs.writeFileSync(file, JSON.stringify({schemaVersion: 1, traceEvents}));
	try {
		return await upload(world, file);
	} finally {
		fs.rmSync(dir, {recursive: true});
	}
}

export default async function run(test, world) {
	const {open, api} = world;
	const here = await upload(world, data('two-devices.json'));
	world.run = here;
	const mystery = await mysteries(world);

	await test('the tab equals the server\'s answer: every nanosecond is in one row', async () => {
		const page = await open(`${mystery}?tab=operators`);
		const {items, gpu_ns: all} = await (await api(`${mystery}/operators`)).json();
		await seen(async () => assert.deepEqual((await cells(page, TABLE)).map((r) => r[0]), items.map((r) => r.operator ?? 'unattributed')));
		assert.equal(items.reduce((sum, r) => sum + r.total_ns, 0), all);
		await page.getByRole('button', {name: 'unattributed'}).click();
		await page.getByRole('table', {name: 'Unattributed kernels'}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Unattributed kernels')).map((r) => r[0]), ['quux_<b>bold</b>', 'quux_small']));
		assert.equal(all, 90000);
		await page.getByText('This run has no roofline bounds, because the trace does not name its GPU.').waitFor();
		await seen(async () => assert.equal(await page.getByLabel('Platform').locator('option').first().innerText(), 'this run\'s GPU: unknown'));
		await page.getByRole('columnheader', {name: 'Mean call'}).waitFor();
	});

	await test('a row opens to its attribution sources and shapes; the address opens it again', async () => {
		const page = await open(`${here}?tab=operators`, {answers: answered(here)});
		await seen(async () => assert.deepEqual(flat(await cells(page, TABLE)).map((r) => [r[0], r[3], r[9], r[10], r[11], r[12], r[13], r[14], r[15], r[16]]), [
			['gemm', '52.0', 'op_sizes 78.8 %, graph 21.2 %', '100.0 %', '62.0 %', '● good', 'C compute', '26.000', '13.000', '80.0 %'],
			['all_reduce', '24.0', 'op_sizes', '100.0 %', '25.0 %', '–', 'L link', '≤ 18.000', '6.000', '80.0 %'],
			['rms_norm', '21.0', 'rule', '0.0 %', '50.0 %', '● good', 'M memory', '10.500', '5.250', '80.0 %'],
			['unattributed', '3.0', 'none', '0.0 %', '–', '–', '–', '–', '–', '–']]));
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Run 12 reached 80.0 %'}).first().getAttribute('href'), '/runs/12'));
		await page.getByRole('button', {name: 'gemm'}).focus();
		await page.keyboard.press('Enter');
		await page.getByRole('table', {name: 'Shapes of gemm'}).waitFor();
		await seen(async () => assert.deepEqual(await page.locator('.source-list li').allInnerTexts(), ['78.8 % the host operator that launched it, with its Input Dims op_sizes',
			'21.2 % inferred: its position in a CUDA graph whose capture was recorded graph']));
		await seen(async () => assert.deepEqual(flat(await cells(page, 'Shapes of gemm')).map((r) => [r[0], r[6], r[7], r[9], r[10], r[11], r[12], r[13]]), [
			['m=237 n=4096 k=4096', '8.037', '17.5 %', 'SM 72.0 %, memory 38.3 %, occupancy 23.4 %; stalls: long_scoreboard 60.0 %', 'C compute', '212.4', '7.95 GFLOP', '37.4 MB'],
			['shape unknown, grid 128x1x1 / 256x1x1', '–', '–', '–', '–', '–', '–', '–']]));
		await seen(async () => assert.equal(await page.getByText('No roofline bound: its shape is unknown.').count(), 1));
		await seen(async () => assert.match(page.url(), /open=gemm:bf16:decode/));
		await page.reload();
		await page.getByRole('table', {name: 'Shapes of gemm'}).waitFor();
		// A link with the operator alone opens its row and scrolls to it, after the tabs.
		await page.setViewportSize({width: 900, height: 400});
		await page.goto(page.url().replace(/open=.*/, 'open=gemm#panel'));
		await page.reload();
		await page.getByRole('table', {name: 'Shapes of gemm'}).waitFor();
		await seen(async () => assert.match(page.url(), /open=gemm:bf16:decode/));
		await seen(async () => assert.ok(await page.getByRole('button', {name: 'gemm'}).evaluate((row) => {
			const {top, bottom} = row.getBoundingClientRect();
			return scrollY > 0 && top > 0 && bottom < innerHeight;
		})));
	});

	await test('all shapes and all unattributed kernels of a run can be reached, page by page', async () => {
		const [shape] = doc.runShapes(new URLSearchParams()).items;
		const [kernel] = doc.runKernels().items;
		const requests = [];
		// Pages of 500, 500 and 7; the row has a dtype and a phase, so that each page is of it alone.
		const pages = (of) => (q) => {
			requests.push(q.toString());
			const from = Number(q.get('cursor') ?? 0);
			const n = Math.min(500, 1007 - from);
			return {...of(q), items: Array.from({length: n}, (_, i) => (of === doc.runKernels ? {...kernel, name: `kernel_${from + i}`} : {...shape, shape: `m=${from + i}`})),
				next: from + n < 1007 ? String(from + n) : null};
		};
		const page = await open(`${here}?tab=operators&open=gemm`, {answers: {...answered(here), [`${here}/operators/gemm/shapes`]: pages(doc.runShapes),
			[`${here}/unattributed`]: pages(doc.runKernels)}});
		const table = page.getByRole('table', {name: 'Shapes of gemm'});
		await page.getByText('The 500 shapes with the most GPU time.').waitFor();
		await page.getByRole('button', {name: 'Load more shapes'}).click();
		await page.getByText('The 1,000 shapes with the most GPU time.').waitFor();
		await page.getByRole('button', {name: 'Load more shapes'}).click();
		await seen(async () => assert.equal(await table.getAttribute('aria-rowcount'), '1008'));
		assert.equal(await page.getByRole('button', {name: 'Load more shapes'}).count(), 0);
		assert.deepEqual(requests, ['', '&cursor=500', '&cursor=1000'].map((cursor) => `dtype=bf16&phase=decode&limit=500${cursor}`));
		await page.getByRole('button', {name: 'unattributed'}).click();
		await page.getByRole('button', {name: 'Load more kernels'}).click();
		await seen(async () => assert.equal(await page.getByRole('table', {name: 'Unattributed kernels'}).getAttribute('aria-rowcount'), '1001'));
		await page.getByRole('button', {name: 'Load more kernels'}).click();
		await seen(async () => assert.equal(await page.getByRole('table', {name: 'Unattributed kernels'}).getAttribute('aria-rowcount'), '1008'));
		await seen(async () => assert.equal(await page.getByRole('button', {name: 'Load more kernels'}).count(), 0));
	});

	await test('against another platform: other bounds, on the page, in the address and in the files', async () => {
		const page = await open(`${here}?tab=operators`, {answers: answered(here)});
		await page.getByText('Roofline bounds are those of H200; source: a datasheet.').waitFor();
		await page.getByLabel('Platform').selectOption('H20');
		await page.getByText('Roofline bounds are those of H20, not of the run\'s own platform H200; source: a table.').waitFor();
		await seen(async () => assert.equal(await page.getByLabel('Platform').inputValue(), 'H20'));
		await seen(async () => assert.deepEqual(flat(await cells(page, TABLE)).map((r) => [r[0], ...r.slice(11)]), [['gemm', '10.0 %', '○ low', 'M memory'],
			['all_reduce', '–', '–', '–'], ['rms_norm', '125.0 %', '–', 'M memory'], ['unattributed', '–', '–', '–']]));
		await seen(async () => assert.equal(await page.getByText('S is above 1 at shapes').count(), 0, 'the finding about its own platform'));
		await page.getByRole('button', {name: 'gemm'}).click();
		await page.getByRole('table', {name: 'Shapes of gemm'}).waitFor();
		await seen(async () => assert.deepEqual(flat(await cells(page, 'Shapes of gemm')).map((r) => [...r.slice(6, 9), r[10]]), [['9.167', '20.0 %', '◐ fair', 'M memory'], ['–', '–', '–', '–']]));
		await seen(async () => assert.equal(await page.getByText('No roofline bound: its shape is unknown there either.').count(), 1));
		await page.getByRole('button', {name: 'gemm'}).click();
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=operators&against=H20'));
		await seen(async () => assert.equal(await page.getByRole('tabpanel').getByRole('link', {name: 'CSV'}).getAttribute('href'), `/api/v1${here}/operators?against=H20&format=csv`));
		await page.reload();
		await page.getByText('Roofline bounds are those of H20, not of the run\'s own platform H200').waitFor();
	});

	await test('replayed graphs show their match, the run of their capture and what is not attributed', async () => {
		const page = await open(`${here}?tab=operators`, {answers: {...answered(here), [`${here}/replayed-graphs`]: doc.runGraphs}});
		await seen(async () => assert.deepEqual(flat(await cells(page, 'Replayed CUDA graphs')), [
			['a1b2c3d4', '12', '993', '48.000', '99.9', '1', 'run #12', '11,904', 'the capture lacks some kernels of the replay'],
			['0f0f0f0f', '1', '40', '0.200', '–', '0', '–', '0', 'no capture that was seen has these kernels, except for a few']]));
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'run #12'}).getAttribute('href'), '/runs/12'));
		await page.getByTitle('992 of 993 replayed and 994 captured kernels').waitFor();
		await page.getByTitle('of 11,916 kernels in all replays').waitFor();
		const plain = await open(`${here}?tab=operators`);
		await plain.getByRole('table', {name: TABLE}).waitFor();
		await seen(async () => assert.equal(await plain.getByText('Replayed CUDA graphs').count(), 0, 'a run without graphs'));
	});

	await test('peaks at the recorded SM clock: the page says so, and shows S by the data sheet', async () => {
		const clocked = await upload(world, data('../../api/data/sm-clock.json'));
		const page = await open(`${clocked}?tab=operators`);
		await page.getByText(/^Roofline bounds use compute peaks at the recorded SM clock of 1647 MHz: 90\.0 % of the data sheet's for .* which assume 1830 MHz/).waitFor();
		await seen(async () => assert.equal(await page.getByText('recorded SM clock of 1647 MHz').count(), 1, 'not among the caveats, too'));
		await page.getByRole('columnheader', {name: 'Headroom data sheet'}).waitFor();
		const column = await page.getByRole('table', {name: TABLE}).locator('thead th').allInnerTexts();
		const at = (name) => column.findIndex((text) => text.replace(/\s+/g, ' ').trim() === name);
		await seen(async () => assert.deepEqual((await cells(page, TABLE)).map((r) => [r[0], r[at('S')], r[at('S data sheet')]]),
			[['gemm', '61.7 %', '55.6 %'], ['elementwise', '80.1 %', '80.1 %']]));
		// by the data sheet's peaks; of the run, both kernels and the 0.9 ms between them
		await seen(async () => assert.deepEqual((await cells(page, TABLE)).map((r) => [r[0], ...r.slice(at('MFU'))]),
			[['gemm', '55.6 %', '55.6 %', '6.0 %', '100.0 %'], ['elementwise', '1.0 %', '1.0 %', '80.1 %', '100.0 %']]));
		await seen(async () => assert.equal(await page.getByText('35.9 % (100.0 % covered)').count(), 2, 'MFU and HFU'));
		await page.getByText('6.5 % (100.0 % covered)').waitFor();
		await page.getByLabel('Platform').selectOption('H20');
		await page.getByText('Roofline bounds are those of H20, not of the run\'s own platform H100-SXM').waitFor();
		await seen(async () => assert.equal(await page.getByText('recorded SM clock').count(), 0, 'only of its own platform'));
		await seen(async () => assert.equal(await page.getByText(/MFU|covered/).count(), 0, 'MFU and MBU are of its own platform'));
		await page.getByRole('tab', {name: 'Devices'}).click();
		await seen(async () => assert.equal((await cells(page, 'Devices'))[0].at(-1), '1,647'));
		// the recording is one iteration, which has the figures of the run
		await page.getByRole('tab', {name: 'Iterations'}).click();
		await seen(async () => assert.deepEqual((await cells(page, 'Iterations')).map((r) => r.slice(-4)), [['35.9 %', '35.9 %', '6.5 %', '100.0 %']]));
	});

	await test('no samples of the SM clock: the page says whose peaks the bounds use', async () => {
		const page = await open(`${here}?tab=operators`, {answers: answered(here)});
		await page.getByText('Compute peaks are the data sheet\'s, whatever clock the device had: the trace has no samples of its SM clock.').waitFor();
	});

	await test('the kernels show their operators', async () => {
		const page = await open(`${here}?tab=kernels`);
		const {items} = await (await api(`${here}/kernels`)).json();
		assert.ok(items.length > 1);
		await seen(async () => assert.deepEqual((await cells(page, 'Kernel statistics')).map((r) => r[2]), items.map((r) => r.operator ?? '–')));
	});
}
