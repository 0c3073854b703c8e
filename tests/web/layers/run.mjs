// run.mjs - tests the layers of a run: summary, wall time, kernels launched together.
//
// Bars can be used with keys, rows open, and the address stores the layer boundaries.

import assert from 'node:assert/strict';
import {cells, data, seen, upload} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const ROWS = 'Rows of the layers';
const NOTE = {code: 'names_lag', severity: 'error', message: 'names lag'};

// Returns the rows of a table with sections as lists of cell texts; a heading is one cell.
export const parts = (page, caption) => page.getByRole('table', {name: caption}).evaluate((table) => [...table.tBodies].flatMap((body) =>
	[...body.rows].map((row) => [...row.cells].map((c) => c.innerText.replace(/\s+/g, ' ').trim()))));

// Returns the answers for the layers of a run. With `lags`, the names of the run are misaligned
// with its durations.
export const answered = (run, {lags = false, none = false, refused} = {}) => ({
	[`${run}/breakdown`]: (query) => (refused ? {refused} : none ? doc.flat() : doc.breakdown(query)), [`${run}/groups`]: doc.groups,
	[`${run}/notes`]: () => ({items: lags ? [NOTE] : []}),
	[`${run}/iterations`]: () => ({strata: [{text: 'decode, 16 sequences', iterations: 2}, {text: '', iterations: 1}]})});

export default async function run(test, world) {
	const {open} = world;
	const here = await upload(world, data('two-devices.json'));
	world.run = here;

	await test('the headline counts the layers of each kind, and the parts add up to the wall time', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here)});
		await page.getByText('5 layers, 2 of “attention + mlp” and 3 of “attention + gate + moe”, found from the repeating sequence of kernels.').waitFor();
		await seen(async () => {
			const wall = await cells(page, 'Wall time');
			assert.deepEqual(wall.map((r) => r[0]), ['Exclusive', 'Other, exclusive', 'Overlapped', 'Idle', 'Sum = wall time', 'of which exposed communication']);
			const us = wall.map((r) => Number(r[3].replaceAll(',', '')));
			assert.ok(Math.abs(us[0] + us[1] + us[2] + us[3] - us[4]) < 0.0021, us.join(' '));
		});
	});

	await test('rows by section and block, with their sums, extras and blocks that run in parallel', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here)});
		await seen(async () => {
			const rows = await parts(page, ROWS);
			const at = rows.findIndex((r) => r[0].startsWith('2 layers of “attention + mlp”'));
			assert.match(rows[at][0], / · MFU 31\.0 %, HFU 36\.0 %, MBU 42\.0 % \(90\.0 % covered\)$/);
			assert.match(rows[0][0], / · MFU unknown, HFU unknown, MBU unknown$/);
			assert.deepEqual(rows.slice(at + 1, at + 7), [
				['attention'],
				['input_norm', 'fused_add_rmsnorm', 'rms_norm', '4.000', '1', '4.000', '25.0 %', '4.000', '0.000', '3.900', '0.120'],
				['qkv 2 kernels launched together', 'nvjet_qkv + splitKreduce', 'gemm', '15.000', '1', '15.000', '–', '15.000', '0.000', '–', '–'],
				['attention', 'fmha', 'unified_attention', '41.500', '1', '41.500', '72.3 %', '41.500', '0.000', '41.400', '0.120'],
				['–extra', 'mystery_<b>', '–', '1.500', '0.25', '0.375', '–', '0.375', '0.000', '1.400', '0.120'],
				['Sum of attention', '', '', '', '', '60.875', '', '60.875', '0.000', '', '']]);
			assert.equal(rows.filter((r) => r[0].startsWith('shared concurrent with moe')).length, 1);
			assert.ok(rows.some((r) => r[0] === 'gate_upstream 2' && r[8] === '17.000'));
		});
		await page.getByRole('button', {name: 'qkv'}).click();
		await seen(async () => assert.deepEqual((await parts(page, ROWS)).filter((r) => /^(qkv|self_attn)/.test(r[0])).map((r) => [1, 2, 3, 9].map((i) => r[i])).slice(0, 3),
			[['nvjet_qkv + splitKreduce', 'gemm', '15.000', '–'], ['nvjet_qkv', 'gemm', '13.000', '12.900'], ['splitKreduce', 'gemm', '2.000', '1.900']]));
		await seen(async () => assert.match(page.url(), /open=2/));
		await page.reload();
		await seen(async () => assert.equal(await page.getByRole('button', {name: 'qkv'}).getAttribute('aria-expanded'), 'true'));
		await page.getByRole('button', {name: 'qkv'}).focus();
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(await page.locator('tr.member').count(), 0));
		await page.getByLabel('Hide extras').check();
		await seen(async () => assert.equal((await parts(page, ROWS)).filter((r) => r[1] === 'mystery_<b>').length, 0));
		await page.getByLabel('Hide extras').uncheck();
		await page.getByRole('searchbox', {name: 'Search rows'}).fill('grouped');
		await page.getByText('1 row', {exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=layers&q=grouped'));
	});

	await test('one bar per layer: arrow keys move between them, and a table has the numbers', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here)});
		const drawing = page.getByRole('img', {name: 'Layers of an iteration'});
		await drawing.focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowRight');
		const readout = 'layer 1, attention + mlp: 121.075 µs, attention 60.975 µs, mlp 60.100 µs';
		await seen(async () => assert.equal(await page.locator('.readout').innerText(), readout));
		await seen(async () => assert.equal(await page.locator('#news').innerText(), readout));
		await page.keyboard.press('End');
		await seen(async () => assert.match(await page.locator('.readout').innerText(), /^layer 4, /));
		await page.getByText('Data table').click();
		await seen(async () => assert.deepEqual((await cells(page, 'Layers of an iteration, data'))[1], ['1', 'attention + mlp', '60.975', '–', '–', '–', '60.100', '121.075']));
	});

	await test('boundaries are in the address, the request and the files', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here)});
		await page.getByText('Change layer boundaries').click();
		await page.getByLabel('First kernel of a layer').fill('rmsnorm');
		await page.getByLabel('Every').fill('2');
		await page.getByLabel('Device').selectOption('1');
		await page.getByLabel('Stratum').selectOption('1');
		await page.getByRole('button', {name: 'Show', exact: true}).click();
		await page.getByText('boundaries as given').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=layers&start=rmsnorm&every=2&device=1&stratum=1'));
		await seen(async () => assert.equal(await page.getByRole('tabpanel').getByRole('link', {name: 'CSV'}).getAttribute('href'),
			`/api/v1${here}/breakdown?start=rmsnorm&every=2&device=1&stratum=1&format=csv`));
		await page.getByRole('link', {name: 'As detected'}).click();
		await page.getByText('found from the repeating sequence').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=layers'));
	});

	await test('names that lag: a warning, and realigned only on request', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here, {lags: true})});
		await page.getByRole('link', {name: 'Realign names with durations'}).click();
		await page.getByText('Kernel names were realigned with their durations.').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=layers&realign=yes'));
		await page.getByRole('link', {name: 'As recorded'}).click();
		await page.getByRole('link', {name: 'Realign names with durations'}).waitFor();
	});

	await test('no layers: the reason, and still every row', async () => {
		const page = await open(`${here}?tab=layers`, {answers: answered(here, {none: true})});
		await page.getByText('No layers: no sequence of kernels repeats on the busiest stream.').waitFor();
		await seen(async () => assert.deepEqual((await parts(page, ROWS)).map((r) => r[0]).slice(1), ['other', '–', 'Sum of other']));
		await seen(async () => assert.equal(await page.getByRole('img').count(), 0));
	});

	await test('thousands of rows: the first of them, and the others on request', async () => {
		const page = await open(`${here}?tab=layers`, {answers: {...answered(here), [`${here}/breakdown`]: () => doc.flat(3000)}});
		await page.getByText('3,000 rows', {exact: true}).waitFor();
		await seen(async () => assert.equal((await parts(page, ROWS)).filter((r) => r[1] === 'one_kernel').length, 400));
		await page.getByRole('button', {name: 'Show 2,600 more rows'}).click();
		await seen(async () => assert.equal((await parts(page, ROWS)).filter((r) => r[1] === 'one_kernel').length, 3000));
	});

	await test('a rejection is shown in place, with the way back', async () => {
		const page = await open(`${here}?tab=layers&range=nothing`, {allowed: /404/, answers: answered(here, {refused: [404, 'not_found', 'no range is named \'nothing\'']})});
		await page.getByText('No range is named \'nothing\'.').waitFor();
		await seen(async () => assert.equal(await page.getByLabel('Range of a layer').inputValue(), 'nothing'));
		const large = await open(`${here}?tab=layers`, {allowed: /413/, answers: answered(here, {refused: [413, 'too_large', 'the names of its kernels are more than an answer holds']})});
		await large.getByRole('tabpanel').getByText('The names of its kernels are more than an answer holds.').waitFor();
		await seen(async () => assert.equal(await large.getByRole('link', {name: 'Try again'}).count(), 0));
	});

	await test('the server is busy: a message in place, and another try', async () => {
		let busy = true;
		const all = answered(here);
		const page = await open(`${here}?tab=layers&start=norm`, {allowed: /503/, answers: {...all,
			[`${here}/breakdown`]: (query) => (busy ? {refused: [503, 'unavailable', 'the server has enough to do']} : all[`${here}/breakdown`](query))}});
		await page.getByRole('tabpanel').getByText('The server has enough to do.').waitFor();
		const before = await page.evaluate(() => history.length);
		busy = false;
		await page.getByRole('link', {name: 'Try again'}).click();
		await page.getByText('boundaries as given').waitFor();
		await seen(async () => assert.deepEqual([new URL(page.url()).search, await page.evaluate(() => history.length)], ['?tab=layers&start=norm', before]));
	});

	await test('no kernels launched together, and why', async () => {
		const page = await open(`${here}?tab=groups`, {allowed: /404/, answers: {...answered(here), [`${here}/groups`]: () => ({refused: [404, 'not_found', 'it has statistics and no launches']})}});
		await page.getByRole('tabpanel').getByText('It has statistics and no launches.').waitFor();
		await seen(async () => assert.equal(await page.getByRole('tab', {name: 'Layers', exact: true}).count(), 1));
	});

	await test('kernels launched together', async () => {
		const page = await open(`${here}?tab=groups`, {answers: answered(here)});
		await seen(async () => assert.deepEqual((await cells(page, 'Launched together')).map((r) => [r[0].replace(/\s+/g, ' '), r[1], r[2], ...r.slice(4)]), [
			['prepare_varlen_num_blocks FlashAttnFwdSm90 FlashAttnFwdCombine', '–', '24.000', '32', '96.9 %', '0', 'always adjacent, with different neighbors'],
			['nvjet_qkv splitKreduce', 'gemm', '9.600', '64', '100.0 %', '3', 'launched by one API call']]));
		await page.getByRole('button', {name: 'FlashAttnFwdSm90'}).click();
		await page.getByText('void <b>FlashAttnFwdCombine</b><float, 128>(Params)').waitFor();
	});
}
