// run.mjs - tests the page of one run: notes, facts, totals and the kernel table.
//
// The numbers are those of data/README.md.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {cells, seen} from './world.mjs';

const KERNELS = 'Kernel statistics';
const column = (rows, n) => rows.map((r) => r[n]);

export default async function run(test, {open, api, base, firstView}) {
	const {items} = await (await api('/runs')).json();
	const id = (launches) => items.find((r) => r.launches === launches).id;
	const two = `/runs/${id(5)}`;
	const kernels = `${two}?tab=kernels`;

	await test('identity, devices and totals', async () => {
		const page = await open(two);
		await page.getByText('Details: process, upload, totals, timeline').click();
		await page.locator('.drawer .totals dd').first().waitFor();
		const facts = Object.fromEntries(await page.locator('.facts > div').evaluateAll((all) =>
			all.map((d) => [d.querySelector('dt').innerText, d.querySelector('dd').innerText])));
		assert.equal(facts.Project, 'demo');
		assert.equal(facts.Workload, 'two devices');
		assert.equal(facts.Labels.replace(/\s+/g, ' '), 'branch=main gpu=h100');
		assert.equal(facts.Rank, '3 of 8');
		assert.match(facts.Process, /pid 4711/);
		assert.equal(facts.GPU, '2 × NVIDIA H100 80GB HBM3');
		const totals = await page.locator('.drawer .totals dd').allInnerTexts();
		assert.deepEqual(totals, ['100.000 µs', '144.000 µs', '100.000 µs', '5', '2', '4.000 µs', '1']);
		await page.getByRole('tab', {name: 'Devices'}).click();
		await page.getByRole('table', {name: 'Devices'}).waitFor();
		await seen(async () => assert.deepEqual(await cells(page, 'Devices'), [
			['0', 'NVIDIA H100 80GB HBM3', '132', '9.0', '80.0 GiB', '2', '30.000', '–'],
			['1', 'NVIDIA H100 80GB HBM3', '132', '9.0', '80.0 GiB', '3', '70.000', '–']]));
		await page.getByRole('tab', {name: 'Copies and sets'}).click();
		await page.getByRole('table', {name: 'Copies and sets'}).waitFor();
		await seen(async () => {
			const [copy] = await cells(page, 'Copies and sets');
			assert.deepEqual([...copy.slice(0, 4), copy.at(-1)], ['[CUDA memcpy Host-to-Device]', '100.0', '4.000', '1', '1.00 KiB']);
		});
	});

	await test('measures have a tab if there are some', async () => {
		const page = await open(two);
		await page.getByRole('tab', {name: 'Devices'}).waitFor();
		assert.equal(await page.getByRole('tab', {name: 'Measures'}).count(), 0);
		const measures = `${base}/api/v1${two}/measures`;
		const {status} = await fetch(`${measures}?file=night.txt`, {method: 'POST', body: 'ttft_p99=1.25 s\nscore=-0.5\n'});
		assert.equal(status, 201);
		await page.reload();
		await page.getByRole('tab', {name: 'Measures'}).click();
		await page.getByRole('table', {name: 'Measures'}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Measures')).map((row) => row.slice(0, 6)), [
			['score', '−0.5', '', '–', 'NAME=VALUE UNIT', 'night.txt'],
			['ttft_p99\ntime from a request to its first token: p99', '1,250', 'ms', 'lower', 'NAME=VALUE UNIT', 'night.txt']]));
		await page.goto(page.url().replace(/\?.*/, '?tab=measures'));
		await page.getByRole('table', {name: 'Measures'}).waitFor();
		await fetch(measures, {method: 'DELETE'});
	});

	await test('kernels as worked out by hand, in µs and in ns', async () => {
		const page = await open(kernels);
		const numbers = async () => (await cells(page, KERNELS)).map((r) => [r[0], ...r.slice(3, 13)]);
		await seen(async () => assert.deepEqual(await numbers(), [
			['alpha', '90.0', '90.000', '3', '30.000', '20.000', '10.000', '60.000', '26.458', '52.000', '59.200'],
			['beta_kernel', '10.0', '10.000', '2', '5.000', '5.000', '5.000', '5.000', '0.000', '5.000', '5.000']]));
		await seen(async () => assert.equal(await page.getByRole('cell', {name: '26.458'}).getAttribute('title'), '26,457.5 ns'));
		await page.getByLabel('Nanoseconds').check();
		await seen(async () => assert.deepEqual((await numbers())[0].slice(2), ['90,000', '3', '30,000', '20,000', '10,000', '60,000',
			'26,457.5', '52,000', '59,200']));
		await seen(async () => assert.match(page.url(), /unit=ns/));
	});

	await test('a short name opens to the full name; one switch opens all', async () => {
		const page = await open(kernels);
		const full = page.getByText('void alpha<float>(float*, int)');
		await seen(async () => assert.equal(await full.count(), 0));
		await page.getByRole('button', {name: 'alpha', exact: true}).click();
		await seen(async () => assert.ok(await full.isVisible()));
		await page.getByRole('button', {name: 'alpha', exact: true}).click();
		await seen(async () => assert.equal(await full.count(), 0));
		await page.getByLabel('Full names').check();
		await seen(async () => assert.deepEqual(column(await cells(page, KERNELS), 0), ['void alpha<float>(float*, int)', 'beta_kernel']));
	});

	await test('sorted in both directions, and filtered; the address restores the view', async () => {
		const page = await open(kernels);
		const first = async (p) => column(await cells(p, KERNELS), 0);
		await page.getByRole('button', {name: 'Min (µs)'}).first().click();
		await seen(async () => assert.deepEqual(await first(page), ['alpha', 'beta_kernel']));
		await page.getByRole('button', {name: 'Min (µs)'}).first().click();
		await seen(async () => assert.deepEqual(await first(page), ['beta_kernel', 'alpha']));
		// the tooltip of the heading may be open below the pointer
		await seen(async () => assert.match(await page.locator('th[aria-sort="ascending"]').first().innerText(), /^Min \(µs\)/));
		const again = await open(two + new URL(page.url()).search);
		await seen(async () => assert.deepEqual(await first(again), ['beta_kernel', 'alpha']));
		await again.getByRole('searchbox', {name: 'Filter kernels by name'}).fill('BETA');
		await seen(async () => assert.deepEqual(await first(again), ['beta_kernel']));
		await again.getByText('1 of 2 rows').waitFor();
		await again.getByRole('searchbox', {name: 'Filter kernels by name'}).fill('gamma');
		await seen(async () => assert.deepEqual(await first(again), ['No kernel matches the search.']));
	});

	await test('split by device, and by grid and block', async () => {
		const page = await open(kernels);
		await page.getByLabel('By device').check();
		await page.getByText('3 rows', {exact: true}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, KERNELS)).map((r) => [r[0], r[1], r[5]]),
			[['alpha', '1', '60.000'], ['alpha', '0', '30.000'], ['beta_kernel', '1', '10.000']]));
		await page.getByLabel('By grid and block').check();
		await page.getByRole('columnheader', {name: 'Block'}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, KERNELS)).map((r) => [r[0], r[1], r[2], r[6]]), [
			['alpha', '64 × 2 × 1', '256 × 1 × 1', '60.000'], ['alpha', '2 × 1 × 1', '128 × 1 × 1', '30.000'],
			['beta_kernel', '1 × 1 × 1', '32 × 1 × 1', '10.000']]));
		await seen(async () => assert.match(page.url(), /by=grid/));
	});

	await test('the CSV and Markdown links return what the API returns for this view', async () => {
		const page = await open(`${two}?by=grid&sort=name&q=alpha`);
		for (const [link, format] of [['CSV', 'csv'], ['Markdown', 'md']]) {
			const [download] = await Promise.all([page.waitForEvent('download'),
				page.getByRole('tabpanel').getByRole('link', {name: link}).click()]);
			const want = await (await api(`${two}/kernels?by=grid&sort=name&q=alpha&format=${format}`)).text();
			await seen(async () => assert.equal(fs.readFileSync(await download.path(), 'utf8'), want));
			assert.match(want, /alpha/);
			assert.doesNotMatch(want, /beta/);
			assert.match(download.suggestedFilename(), new RegExp(`^run-${id(5)}-kernels.*\\.${format}$`));
		}
	});

	await test('the notes of a run are a badge with their number and the worst severity', async () => {
		const page = await open(`/runs/${id(1)}`);
		const {items: notes} = await (await api(`/runs/${id(1)}/notes`)).json();
		await page.getByText(`Loss ${notes.length} note`).click();
		await page.locator('.notes li').first().waitFor();
		const shown = await page.locator('.notes li').allInnerTexts();
		assert.equal(shown.length, notes.length);
		assert.match(shown[0], /^Loss\s+the file breaks off in the middle; what came before it was used/);
	});

	await test('notes of the severity error stay visible; notes that are missing do not hide the run', async () => {
		const error = {severity: 'error', code: 'x', count: 1, message: 'The names of kernels are wrong.'};
		const info = {...error, severity: 'info', message: 'Something small.'};
		const doc = await (await api(two)).json();
		const noted = (worst) => ({[two]: () => ({...doc, notes: 2, worst_note: worst})});
		const busy = {[`${two}/notes`]: () => ({refused: [503, 'busy', 'the server is busy']})};
		const page = await open(two, {answers: {...noted('error'), [`${two}/notes`]: () => ({items: [error, info]})}});
		await page.getByRole('region', {name: 'Errors'}).getByText('The names of kernels are wrong.').waitFor();
		await page.getByText('Info 1 note').click();
		await page.getByText('Something small.').waitFor();
		const failed = await open(two, {allowed: /503/, answers: {...noted('error'), ...busy}});
		await failed.getByText('The notes of this run are missing: the server is busy.').waitFor();
		await failed.getByRole('table', {name: 'Kernels with the most time'}).waitFor();
		const folded = await open(two, {allowed: /503/, answers: {...noted('warn'), ...busy}});
		await folded.getByText('Warning 2 notes').click();
		await folded.getByText('The notes of this run are missing: the server is busy.').waitFor();
	});

	await test('the first view of a run with notes loads few bytes and sends few requests', async () => {
		if (process.env.KERNSIFT_NPM === 'OFF') return;
		await firstView(`/runs/${id(1)}`);
		await firstView(two);
	});

	await test('3,000 kernels: only visible rows are in the page; scrolling adds the others', async () => {
		const page = await open(`/runs/${id(3000)}?tab=kernels`);
		const grid = page.getByRole('table', {name: KERNELS});
		const rows = grid.locator('tbody tr:not(.gap)');
		await seen(async () => assert.equal(await grid.getAttribute('aria-rowcount'), '3001'));
		await seen(async () => assert.ok(await rows.count() < 600));
		await seen(async () => assert.equal(await rows.first().locator('th').innerText(), 'kernel_0000'));
		await page.getByRole('region', {name: 'Kernel statistics, table'}).focus();
		const last = grid.locator('tr[aria-rowindex="3001"] th');
		// Rows that scroll into view may be taller than estimated.
		for (let i = 0; i < 50 && !await last.isVisible(); i++) {
			await page.keyboard.press('End');
			await page.waitForTimeout(100);
		}
		await last.waitFor();
		await seen(async () => assert.equal(await last.innerText(), 'kernel_2999'));
		await seen(async () => assert.ok(await rows.count() < 600));
		await page.getByRole('searchbox', {name: 'Filter kernels by name'}).fill('kernel_2999');
		await page.getByText('1 of 3,000 rows').waitFor();
		await seen(async () => assert.equal(await rows.count(), 1));
	});

	await test('names with HTML are shown as text', async () => {
		const name = '<img src=x onerror="document.title=1"> & \'\u202eabc\' </td><script>';
		const traceEvents = [1, 2].map((i) => ({ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: 10 * i, dur: 5,
			args: {device: 0, stream: 7, correlation: i}}));
		const page = await open('/uploads');
		await page.getByLabel('Labels').fill(`a=${name.replaceAll(',', '')}`);
		await page.setInputFiles('#files', {name: '<b>.json', mimeType: 'application/json',
			buffer: Buffer.from(JSON.stringify({schemaVersion: 1, traceEvents}))});
		await page.locator('.card .state.done').waitFor();
		await page.getByRole('link', {name: /^Run #/}).click();
		await page.locator('.crumbs').waitFor();
		await page.getByRole('table', {name: 'Longest gaps'}).waitFor();
		await page.getByRole('table', {name: 'Kernels with the most time'}).waitFor();
		await seen(async () => assert.equal(await page.locator('main img, main script, main b').count(), 0));
		await page.getByRole('tab', {name: 'Kernels', exact: true}).click();
		await page.getByLabel('Full names').check();
		await seen(async () => assert.deepEqual(column(await page.getByRole('table', {name: KERNELS}).locator('tbody tr').evaluateAll((all) =>
			all.map((tr) => [tr.cells[0].textContent])), 0), [name]));
		await seen(async () => assert.equal(await page.locator('.facts .tag').textContent(), `a=${name}`));
		await seen(async () => assert.equal(await page.locator('main img, main script, main b').count(), 0));
		await seen(async () => assert.equal(await page.title(), '<b>.json · kernsift'));
	});

	await test('a run that does not exist: the server\'s message, on top', async () => {
		const page = await open('/runs/999999', {allowed: /404/});
		await seen(async () => assert.equal(await page.getByRole('alert').innerText(), 'Failed: no run 999999'));
		await page.getByRole('button', {name: 'Dismiss'}).click();
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 0));
	});
}
