// breakdown_compare.mjs - tests the page of the breakdown comparison.
//
// The cases are choosing runs, run cards, one kernel that matches three, unmatched rows, and
// misaligned names.

import assert from 'node:assert/strict';
import {cells, data, seen, upload} from '../smoke/world.mjs';
import * as compared from '../compare/documents.mjs';
import * as doc from './documents.mjs';
import {parts} from './run.mjs';

const ROWS = 'Rows of all runs';
export const answers = {'/breakdown': doc.breakdownComparison};
const listed = (id, gpu) => ({id, project: 'p', workload: 'w', content: 'launches', device_names: [gpu]});
// One run is chosen, and the newest of its workload is on another GPU.
export const chosenAnswers = {...answers, '/runs/7': () => listed(7, 'NVIDIA B300'), '/runs': () => ({items: [listed(8, 'AMD Instinct MI300X'), listed(7, 'NVIDIA B300')], next: null})};

export default async function breakdownCompare(test, world) {
	const {open, run} = world;
	const mine = run.split('/').at(-1);
	const other = (await upload(world, data('callers.json'))).split('/').at(-1);

	await test('chosen by number; with fewer than two the page requires more', async () => {
		const page = await open('/breakdown?runs=7', {answers: chosenAnswers});
		await page.getByRole('heading', {name: 'Breakdown comparison', exact: true}).waitFor();
		assert.equal(await page.getByRole('link', {name: 'By layer with AMD Instinct MI300X'}).getAttribute('href'), '/breakdown?runs=7,8');
		await page.getByRole('button', {name: 'Show'}).click();
		await page.getByText('Enter two to 8 runs (1 entered).').waitFor();
		await page.getByLabel('Runs', {exact: true}).fill('7, 8');
		await page.keyboard.press('Enter');
		await page.getByText('32 layers of 2 runs compared: 4 of 5 rows of a layer are in every run, 1 more is only in few layers.').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=7,8'));
		// The result is first, and how it was found below it.
		assert.equal(await page.locator('h1').innerText(), 'decode_b #8 on MI300X is slower: 6.000 ms per iteration, 100.0 % more than decode_a #7 on B300 (3.000 ms); the largest part is all_reduce (+704.000 µs).');
	});

	await test('picked in the list of runs', async () => {
		const page = await open('/runs', {answers});
		await page.getByRole('checkbox', {name: new RegExp(`#${mine} as base`)}).check();
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Breakdown comparison'}).count(), 0));
		await page.getByRole('checkbox', {name: new RegExp(`#${other} as head`)}).check();
		await page.getByRole('link', {name: 'Breakdown comparison'}).click();
		await page.getByText(/2 runs compared: 4 of 5/).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, `?runs=${mine},${other}`));
	});

	await test('a comparison leads to the first run of each side', async () => {
		const page = await open('/compare?base=7,9&head=8', {answers: {...answers, '/compare': () => ({...compared.comparison(), base: {...compared.comparison().base, runs: 2}, head: {...compared.comparison().head, runs: 1}})}});
		await page.getByRole('link', {name: 'Compare #7 and #8 layer by layer'}).click();
		await page.getByText(/2 runs compared: 4 of 5/).waitFor();
	});

	await test('rows: several kernels in a cell, differences, rows of one side alone', async () => {
		const page = await open('/breakdown?runs=7,8', {answers});
		await seen(async () => assert.deepEqual(await parts(page, ROWS), [
			['32 layers of “attention + mlp”'], ['attention'],
			['input_norm', 'fused_add_rmsnorm', '4.000', '25.0 %', 'rmsnorm_hip', '5.000', '40.0 %', '+1.000', '+25.0 %'],
			['qkv + rope + kv_store', 'nvjet_qkv and 2 more', '18.000', '–', 'fused_qkv_rope', '17.500', '–', '−0.500', '−2.8 %'],
			['self_attn.attn attention', 'fmha', '41.500', '72.3 %', 'pa_decode', '62.000', '–', '+20.500', '+49.4 %'],
			['Sum of attention', '', '63.500', '', '', '84.500', '', '+21.000', '+33.1 %'],
			['mlp'],
			['–', 'elementwise', '8.000', '–', 'elementwise', '8.000', '–', '0.000', '±0.0 %'],
			['all_reduceonly B', '–', 'rccl_all_reduceextrastream 2', '22.000', '–', '–', '–'],
			['Sum of mlp', '', '8.000', '', '', '30.000', '', '+22.000', '+275.0 %'],
			['shared concurrent with mlp'],
			['gate_uponly A', 'shared_up', '17.000', '–', '–'],
			['Sum of shared', '', '17.000', '', '–'],
			['Sum of a layer', '', '88.500', '', '', '114.500', '', '+26.000', '+29.4 %']]));
		await page.getByText('nvjet_qkv and 2 more').click();
		await page.getByText('cache_store').waitFor();
		await page.getByLabel('Hide extras').check();
		await page.getByText('5 rows', {exact: true}).waitFor();
		await page.getByLabel('Hide extras').uncheck();
		await page.getByLabel('Only unmatched rows').check();
		await page.getByText('2 rows', {exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=7,8&rows=unmatched'));
		await page.reload();
		await page.getByText('2 rows', {exact: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Markdown'}).getAttribute('href'), '/api/v1/breakdown?runs=7%2C8&format=md'));
	});

	await test('changes: the largest first, per iteration, with sign and bars; extras are folded', async () => {
		const page = await open('/breakdown?runs=7,8', {answers});
		const flat = async (name) => (await cells(page, name)).map((r) => [r[0].split('\n')[0].trim(), ...r.slice(1)]);
		const table = page.getByRole('table', {name: 'Changes', exact: true});
		await seen(async () => assert.deepEqual(await table.locator('thead th').allInnerTexts(), ['Role or module', 'Δ (µs)', 'Δ (%)', 'A (µs)', 'A ◂ ▸ B', 'B (µs)']));
		await seen(async () => assert.deepEqual((await flat(/^Changes$/)).map((r) => r.slice(1)), [
			['+656.0', '+49.4 %', '1,328.0', '', '1,984.0'], ['−544.0', '−100.0 %', '544.0', '', '–'], ['+32.0', '+25.0 %', '128.0', '', '160.0'],
			['−16.0', '−2.8 %', '576.0', '', '560.0'], ['0.0', '±0.0 %', '256.0', '', '256.0']]));
		// The longest bar is as wide as its half; the first run's is to the left.
		const [bars] = await table.locator('.mirrored').evaluateAll((list) => list.map((m) => [...m.querySelectorAll('span > span')].map((b) => b.getBoundingClientRect().width / b.parentElement.getBoundingClientRect().width)));
		assert.ok(Math.abs(bars[0] - 1328 / 1984) < 0.02 && bars[1] > 0.97, bars.join());
		await page.getByText('1 extra, only in few layers: 19.2 % of the time').click();
		await seen(async () => assert.deepEqual((await flat('Changes of extras')).map((r) => r.slice(1)), [['+704.0', '–', '–', '', '704.0']]));
		await table.getByRole('button', {name: 'B', exact: false}).last().click();
		await seen(async () => assert.deepEqual((await flat(/^Changes$/)).map((r) => r[5]), ['1,984.0', '560.0', '256.0', '160.0', '–']));
	});

	await test('changes of eight runs with 4,000 rows: 50 are on the page, small ones are folded', async () => {
		const page = await open('/breakdown?runs=1,2,3,4,5,6,7,8', {answers: {'/breakdown': () => doc.manyRows(8, 4000)}});
		const table = page.getByRole('table', {name: 'Changes', exact: true});
		await seen(async () => assert.deepEqual(await table.locator('thead th').allInnerTexts(), ['Role or module', 'Δ (µs)', 'Δ (%)', 'Run', 'Time', ...'ABCDEFGH'.split('').map((l) => `${l} (µs)`)]));
		await seen(async () => assert.equal(await table.locator('tbody tr').count(), 20));
		assert.deepEqual((await cells(page, /^Changes$/)).map((r) => r[3]).slice(0, 3), ['H', 'H', 'H']);
		await page.getByText(/^3,980 rows below 1 % hidden: /).click();
		const small = page.getByRole('table', {name: 'Small changes'});
		await seen(async () => assert.equal(await small.locator('tbody tr').count(), 50));
		await page.getByRole('button', {name: 'Show 3,930 more rows'}).click();
		await seen(async () => assert.equal(await small.getAttribute('aria-rowcount'), '3981'));
		assert.ok(await small.locator('tbody tr').count() < 1000, 'only rows near the visible part');
		assert.equal(await page.locator('main b, main img').count(), 0, 'markup in names is text');
	});

	await test('a third run is added, one is removed, another becomes the base', async () => {
		const page = await open('/breakdown?runs=7,8', {answers});
		await page.getByRole('textbox', {name: 'Add a run'}).fill('9');
		await page.keyboard.press('Enter');
		await page.getByText('32, 32 and 0 layers of 3 runs').waitFor();
		await page.getByText('No sequence of kernels repeats.').waitFor();
		await page.getByRole('link', {name: 'Remove decode_a #7'}).click();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=8,9'));
		await page.getByText('of 2 runs compared').waitFor();
		await page.getByRole('link', {name: 'Use as base'}).click();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=9,8'));
	});

	await test('names that lag: a warning, and realigned on request', async () => {
		const page = await open('/breakdown?runs=7,8', {answers});
		await page.getByRole('heading', {name: 'Kernel names are misaligned'}).waitFor();
		await page.getByRole('link', {name: 'Realign names with durations'}).click();
		await page.getByRole('heading', {name: 'Kernel names were realigned'}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=7,8&realign=yes'));
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'CSV'}).getAttribute('href'), '/api/v1/breakdown?runs=7%2C8&realign=yes&format=csv'));
	});

	await test('a rejection is shown in place, and each run can be removed', async () => {
		const without = (query) => (query.get('runs').split(',').includes('6') ? {refused: [404, 'not_found', 'run 6 has statistics and no launches']} : doc.breakdownComparison(query));
		const page = await open('/breakdown?runs=7,6,8&realign=yes', {allowed: /404/, answers: {'/breakdown': without}});
		await page.getByText('Run 6 has statistics and no launches.').waitFor();
		await seen(async () => assert.deepEqual(await page.getByRole('list', {name: 'Requested runs'}).getByRole('link').allTextContents(), ['#7', 'Remove #7', '#6', 'Remove #6', '#8', 'Remove #8']));
		await page.getByRole('link', {name: 'Remove #6'}).click();
		await page.getByText('of 2 runs compared').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?runs=7,8&realign=yes'));
	});

	await test('the server is busy: a message in place, and another try', async () => {
		let busy = true;
		const page = await open('/breakdown?runs=7,8', {allowed: /503/, answers: {'/breakdown': (query) => (busy ? {refused: [503, 'unavailable', 'the server has enough to do']} : doc.breakdownComparison(query))}});
		await page.getByText('The server has enough to do.').waitFor();
		busy = false;
		await page.getByRole('link', {name: 'Try again'}).click();
		await page.getByText('of 2 runs compared').waitFor();
	});

	await test('an invalid run, a duplicate and one run too many: the server\'s message', async () => {
		for (const [runs, sentence, last] of [[`${mine},job:3`, 'Runs: \'job:3\' is not the id of a run.', 'job:3'], [`${mine},${mine}`, `Runs: run ${mine} is given twice.`, `#${mine}`],
			['1,2,3,4,5,6,7,8,9', 'Runs: has more than 8 runs, the maximum of a breakdown comparison.', '#9']]) {
			const page = await open(`/breakdown?runs=${runs}`, {allowed: /400|422/});
			await page.getByText(sentence).waitFor();
			await seen(async () => assert.equal(await page.getByRole('link', {name: 'Remove'}).last().textContent(), `Remove ${last}`));
		}
	});
}
