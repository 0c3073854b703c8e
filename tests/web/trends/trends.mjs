// trends.mjs - selects a workload and uses its chart with the pointer and with keys.
//
// The chart is zoomed, read and ticked. Tables show the same numbers. Other cases have no
// chart library, or no data.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

export const W = '/trends?project=vllm&workload=decode';
export const answers = {'/trends': (query) => doc.trend(query), '/workloads': doc.workloads};
const search = (page) => new URL(page.url()).searchParams;
const chart = (page) => page.getByRole('img', {name: 'Iteration, median'});
const readout = (page) => page.locator('.trend .readout').innerText();

// Returns a position in the window for a position in the visible range.
async function spot(page, part, high) {
	const box = await page.locator('.u-over').boundingBox();
	return [box.x + part * box.width, box.y + high * box.height];
}

// Drags across a part of the visible range.
async function drag(page, from, to) {
	await page.mouse.move(...await spot(page, from, 0.5));
	await page.mouse.down();
	await page.mouse.move(...await spot(page, (from + to) / 2, 0.5));
	await page.mouse.move(...await spot(page, to, 0.5));
	await page.mouse.up();
}

const sight = (page) => seen(async () => {
	const text = await page.getByText(/^[\d,]+ points?$/).innerText();
	return Number(text.replace(/\D/g, ''));
});

export default async function trends(test, {open}) {
	await test('a workload is searched and chosen', async () => {
		const requests = [];
		const page = await open('/trends', {answers: {...answers, '/workloads': (q) => { requests.push(q.get('q')); return doc.workloads(); }}});
		assert.deepEqual((await cells(page, 'Workloads')).map((r) => r.slice(0, 2)),
			[['vllm / llama-70b decode, 16 sequences', '180'], ['unnamed workload', '4'], ['vllm / <b>prefill</b>', '12']]);
		await page.getByRole('searchbox', {name: 'Search workloads'}).fill('llama');
		await page.keyboard.press('Enter');
		await page.getByRole('link', {name: 'All workloads'}).waitFor();
		assert.deepEqual(requests, [null, 'llama']);
		await page.getByRole('link', {name: 'unnamed workload'}).click();
		await page.getByRole('heading', {name: 'Iteration, median, in 180 runs: 2 change points, the last −3.8 % at 9a43e558c0 (run 1121)'}).waitFor();
		assert.equal(new URL(page.url()).search, '?project=&workload=');
		await page.getByText('2 runs without this value are excluded.').waitFor();
	});

	await test('changes of level: the same as the chart, and the runs next to them', async () => {
		const page = await open(W, {answers});
		assert.deepEqual((await cells(page, 'Change points')), [
			['run 1061', '2026-03-06 00:00 UTC', '9a417aacc0', '10.000 ms', '10.600 ms', '+6.0 %', '+4.5 % to +7.5 %', '0.001', 'the same, or unknown', 'Compare 8 with 8'],
			['run 1121', '2026-03-11 00:00 UTC', '9a43e558c0', '10.600 ms', '10.200 ms', '−3.8 %', '−5.3 % to −2.3 %', '0.004',
				'the work differs: decode, 16 sequences, 16 tokens before, decode, 8 sequences, 8 tokens after', 'Compare 8 with 8']]);
		assert.equal(await page.getByRole('link', {name: 'Compare 8 with 8'}).first().getAttribute('href'),
			'/compare?base=1053,1054,1055,1056,1057,1058,1059,1060&head=1061,1062,1063,1064,1065,1066,1067,1068');
		assert.equal(await page.getByRole('link', {name: 'CSV'}).getAttribute('href'), '/api/v1/trends?project=vllm&workload=decode&metric=iteration&format=csv');
		await page.getByRole('tab', {name: 'By commit'}).click();
		const [row] = await cells(page, 'Groups of runs');
		assert.deepEqual([row[0], row[2], row[3], row[6]], ['9a463115c0', '3', 'run 1178', 'Compare 3 with 3']);
		assert.equal(await page.getByRole('link', {name: 'Compare 3 with 3'}).first().getAttribute('href'), '/compare?base=1175,1176,1177&head=1178,1179,1180');
	});

	await test('dragging zooms; the range is in the address and in the tables, and can be reset', async () => {
		const page = await open(`${W}&tab=points`, {answers});
		await page.locator('.u-over').waitFor();
		assert.equal(await sight(page), 180);
		await drag(page, 0.34, 0.66);
		await seen(async () => assert.deepEqual([search(page).get('from'), search(page).get('to')], ['1061', '1120']));
		await seen(async () => assert.equal(await sight(page), 60));
		assert.equal(new URL(page.url()).pathname, '/trends');
		await page.reload();
		await page.locator('.u-over').waitFor();
		await seen(async () => assert.equal(await sight(page), 60));
		await page.getByRole('button', {name: 'Zoom in'}).click();
		await seen(async () => assert.ok(await sight(page) < 40));
		const before = search(page).get('from');
		await page.getByRole('button', {name: 'Later'}).click();
		await seen(async () => assert.ok(Number(search(page).get('from')) > Number(before)));
		await page.getByRole('button', {name: 'Whole series'}).click();
		await seen(async () => assert.deepEqual([await sight(page), search(page).get('from')], [180, null]));
	});

	await test('a point: its readout under the pointer, and its run after a press', async () => {
		const page = await open(`${W}&x=order`, {allowed: /404/, answers});
		await page.locator('.u-over').waitFor();
		await page.mouse.move(...await spot(page, 0.5, 0.5));
		await seen(async () => assert.match(await readout(page), /^Run 10\d\d: 10\.\d+ ms, 2026-03-0\d \d\d:\d\d UTC, commit 9a4/));
		const [, id] = (await readout(page)).match(/^Run (\d+)/);
		await page.mouse.down();
		await page.mouse.up();
		await page.waitForURL(`**/runs/${id}`);
	});

	await test('points are ticked with the pointer, in the table and by keys; and compared', async () => {
		const page = await open(`${W}&x=order&click=base&tab=points`, {answers});
		await page.locator('.u-over').waitFor();
		await page.mouse.click(...await spot(page, 0.2, 0.5));
		await seen(async () => assert.match(search(page).get('base') ?? '', /^10[34]\d$/));
		const base = search(page).get('base');
		await page.getByRole('radio', {name: 'ticks the run as head'}).check();
		await seen(async () => assert.equal(search(page).get('click'), 'head'));
		await chart(page).focus();
		await page.keyboard.press('End');
		await page.keyboard.press('Enter');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('h');
		await page.getByRole('checkbox', {name: '#1178 as head'}).check();
		const go = page.getByRole('link', {name: 'Compare 3 head runs with 1 base run'});
		assert.equal(await go.getAttribute('href'), `/compare?base=${base}&head=1180,1179,1178`);
		await page.keyboard.press('Tab');
		await chart(page).focus();
		await page.keyboard.press('ArrowLeft');
		await seen(async () => assert.match(await page.locator('#news').textContent(), /^Run 1180: 10\.\d+ ms, 2026-03-15 18:04 UTC, commit 9a463115c0$/));
	});

	await test('keys: next point, a point outside the view, zoom, pan, the whole series', async () => {
		const page = await open(`${W}&from=1061&to=1120&tab=points`, {answers});
		await page.locator('.u-over').waitFor();
		await chart(page).focus();
		await page.keyboard.press('Home');
		const ms = (doc.trend().points.value[60] / 1e6).toFixed(3);
		await seen(async () => assert.equal(await readout(page), `Run 1061: ${ms} ms, 2026-03-06 00:00 UTC, commit 9a417aacc0, change point, +6.0 %`));
		await page.keyboard.press('ArrowLeft');
		await seen(async () => assert.match(await readout(page), /^Run 1060:/));
		await seen(async () => assert.ok(Number(search(page).get('from')) < 1061));
		await page.keyboard.press('+');
		await seen(async () => assert.ok(await sight(page) < 40));
		await page.keyboard.press('PageUp');
		await seen(async () => assert.ok(Number(search(page).get('to')) < 1061));
		await page.keyboard.press('0');
		await seen(async () => assert.equal(await sight(page), 180));
	});

	await test('an operator of the newest run; a metric that is a share', async () => {
		const of = {...answers, '/runs': () => ({items: [{id: 1180}], next: null}), '/runs/1180/operators': () => ({items: [{operator: 'gemm'}, {operator: null}, {operator: 'attention'}]})};
		const page = await open(W, {answers: of});
		await page.getByLabel('Metric', {exact: true}).selectOption('Operator');
		await page.getByText('Enter the name of an operator; the names of the newest run are suggested.').waitFor();
		assert.deepEqual(await page.locator('#offered-of option').evaluateAll((list) => list.map((o) => o.value)), ['gemm', 'attention']);
		await page.getByRole('combobox', {name: 'Operator'}).fill('gemm');
		await page.keyboard.press('Enter');
		await page.getByRole('heading', {name: 'Operator “gemm”, average, in 180 runs'}).waitFor();
		await page.getByLabel('Statistic', {exact: true}).selectOption('share of GPU time');
		await page.getByText('Operator “gemm”, share of GPU time (%)').waitFor();
		assert.equal(new URL(page.url()).search, '?project=vllm&workload=decode&metric=operator&of=gemm&stat=share');
		assert.equal((await cells(page, 'Change points'))[0][3], '50.00 %');
	});

	await test('without the chart library: a message, and the tables have every point', async () => {
		const page = await open('/runs', {allowed: /404/, answers});
		await page.route('**/kept/**', (route) => route.fulfill({status: 404}));
		await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, `${W}&tab=points`);
		await page.getByText('This build has no chart library, because it could not be downloaded. The tables list every point.').waitFor();
		assert.equal(await sight(page), 180);
	});

	await test('no data, no workload chosen, a rejected request: a message each', async () => {
		const none = await open(W, {answers: {'/trends': () => doc.trend(new URLSearchParams(), 0)}});
		await none.getByText('No run has this value. Change the filters or the metric.').waitFor();
		const fresh = await open('/trends', {answers: {'/workloads': () => ({items: [], next: null})}});
		await fresh.getByRole('heading', {name: 'No runs yet'}).waitFor();
		const one = await open(W, {answers: {'/trends': () => ({...doc.trend(), n: 1, points: {run: [5], at_ms: [1], value: [1e6], group: [null]}, change_points: []})}});
		await one.getByRole('img', {name: 'Iteration, median: 1 points, 0 change points'}).waitFor();
		const busy = await open(W, {allowed: /503/, answers: {'/trends': () => ({refused: [503, 'unavailable', 'the server has enough to do']})}});
		await busy.getByText('The server has enough to do. Try again').waitFor();
		const labels = await open(`${W}&label=main`, {answers});
		await labels.getByText('Label \'main\' is not of the form key=value.').waitFor();
	});
}
