// flow.mjs - compares two traces as a user does: uploads them, ticks them in the list, compares.
//
// The page must show what the server returns.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {cells, seen} from '../smoke/world.mjs';
import {exchangeTrace, overlapTrace, rankTrace, trace} from './trace.mjs';

const MARKS = {'❌': ['regressed'], '✅': ['improved'], '❔': ['likely', 'undecided'], '➖': ['unchanged'], '⚠️': ['not comparable']};

const short = (rows) => rows.map((r) => r.short_name);

async function sent({base, api}, name, body, query = '') {
	const made = await fetch(`${base}/api/v1/uploads?file=${name}&project=demo&workload=steps${query}`, {method: 'POST', body});
	const {id} = await made.json();
	for (let i = 0; i < 1200; i++) {
		const {state, runs, error} = await (await api(`/uploads/${id}`)).json();
		assert.notEqual(state, 'failed', error);
		if (state === 'done')
			return runs[0];
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	assert.fail(`${name} did not become a run`);
}

async function chosen(test, {open, runs: [one, two, three, four]}) {
	await test('from a run to the list, where it is ticked; then others are ticked', async () => {
		const page = await open(`/runs/${one}`);
		// Main has no run of this workload: the page says so, and the other comparison is the main action.
		await page.getByText('main has no earlier run of this workload').waitFor();
		assert.equal(await page.getByRole('button', {name: 'Compare with main'}).count(), 0);
		const others = page.getByRole('link', {name: 'Compare with…'});
		assert.equal(await others.getAttribute('class'), 'button');
		await others.click();
		await page.getByRole('heading', {name: 'Runs', exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, `?project=demo&workload=steps&head=${one}`));
		const tray = page.getByRole('region', {name: 'Selected for a comparison'});
		await tray.getByText('Head, the runs in question').waitFor();
		// A head alone: the next page has a builder for the base, which knows the workload.
		await tray.getByRole('link', {name: 'Compare 1 head run with…'}).click();
		assert.equal(await page.getByLabel('Head', {exact: true}).inputValue(), `${one}`);
		assert.equal(await page.getByLabel('Workload of the base').inputValue(), 'steps');
		await page.getByRole('button', {name: 'Use this query'}).click();
		assert.equal(await page.getByLabel('Base', {exact: true}).inputValue(), 'project=demo workload=steps label.branch=main last=5');
		await page.goBack();
		await page.getByLabel(`#${one} as base`).check();
		await tray.getByText('No head is selected yet.').waitFor();
		await tray.getByRole('button', {name: 'Use as head'}).click();
		await seen(async () => assert.equal(new URL(page.url()).search, `?project=demo&workload=steps&head=${one}`));
		await page.getByLabel(`#${one} as base`).check();
		await page.getByLabel(`#${two} as base`).check();
		await page.getByLabel(`#${two} as head`).check();
		await seen(async () => assert.ok(!await page.getByLabel(`#${two} as base`).isChecked(), 'a run is on one side at most'));
		await page.getByLabel(`#${two} as base`).check();
		await page.getByLabel(`#${three} as head`).check();
		await page.getByLabel(`#${four} as head`).check();
		await page.getByLabel('Search').fill('steps-1');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.waitForURL(/q=steps-1/);
		const go = tray.getByRole('link', {name: 'Compare 2 head runs with 2 base runs'});
		// A run that is ticked but not in the list is shown by its number.
		await tray.getByRole('button', {name: `Remove #${two} from the base`}).waitFor();
		await seen(async () => assert.equal(await go.getAttribute('href'), `/compare?base=${one},${two}&head=${three},${four}`));
		await go.click();
		await page.getByRole('table', {name: 'Functions'}).waitFor();
		await page.goBack();
		await tray.getByRole('button', {name: 'Clear selection'}).click();
		await seen(async () => assert.ok(!await tray.isVisible()));
	});
}

async function compared(test, {open, api, base, runs: [one, two, three, four]}) {
	const where = `/compare?base=${one},${two}&head=${three},${four}`;
	await test('the page shows the figures of the server, unchanged', async () => {
		const doc = await (await api(where)).json();
		const page = await open(where);
		await seen(async () => assert.equal((await page.locator('h1').innerText()).slice(1), doc.headline.slice(1)));
		await seen(async () => assert.deepEqual(await page.locator('.chip').allInnerTexts().then((all) => all.map((t) => Number(t.match(/\d+$/)[0]))),
			Object.values(doc.counts)));
		// The Markdown of the server begins with the same outcome.
		const [, mark] = /^## (\S+) /.exec(await (await api(`${where}&format=md`)).text());
		const outcome = await page.locator('.title .outcome').innerText();
		assert.ok(MARKS[mark].includes(outcome.split('\n').at(-1)), `${mark} is not ${outcome}`);
		if (doc.counts.unchanged)
			await page.locator('.fold-line').click();
		assert.deepEqual(short(doc.items).sort(), ['copy_kernel', 'elementwise_kernel', 'fresh_kernel', 'gemm_kernel', 'layer_norm_kernel',
			'reduce_kernel', 'softmax_kernel']);
		await seen(async () => assert.deepEqual((await cells(page, 'Functions')).map((r) => r[1]), short(doc.items)));
		for (const [word, title] of [['appeared', 'Appeared'], ['vanished', 'Vanished']])
			await seen(async () => assert.deepEqual(await page.getByRole('region', {name: title}).getByRole('button').allInnerTexts(),
				short(doc.items.filter((r) => r.verdict === word))));
		const dots = await page.getByRole('img', {name: /^Durations of/}).locator('path.dots').evaluateAll((all) =>
			all.map((p) => p.getAttribute('d').split('M').length - 1));
		assert.deepEqual(dots, [doc.base.iterations_used, doc.head.iterations_used]);
	});

	await test('the iterations of a function, and every file, equal those of the server', async () => {
		const page = await open(where);
		assert.equal(await page.getByRole('link', {name: 'Flame graph of the difference'}).getAttribute('href'), `/runs/${three}?tab=flame&against=${one}`);
		await page.getByRole('button', {name: 'elementwise_kernel', exact: true}).click();
		await page.getByRole('img', {name: /^Time per iteration/}).waitFor();
		const {function: name, device} = (await (await api(where)).json()).items.find((r) => r.short_name === 'elementwise_kernel');
		const series = await (await api(`/compare/series?base=${one},${two}&head=${three},${four}&device=${encodeURIComponent(device)}`
			+ `&function=${encodeURIComponent(name)}`)).json();
		await page.locator('.inside .numbers summary').first().click();
		await seen(async () => assert.equal((await cells(page, 'Time per iteration, data')).length, series.base.ns.length + series.head.ns.length));
		for (const [text, format] of [['CSV', 'csv'], ['Markdown', 'md'], ['JSON', 'json']]) {
			const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: text, exact: true}).click()]);
			assert.equal(fs.readFileSync(await download.path(), 'utf8'), await (await api(`${where}&format=${format}${format === 'md' ? `&site=${base}` : ''}`)).text());
		}
	});

	await test('the published score equals that of the server', async () => {
		const {items} = await (await api(`${where}&score=published`)).json();
		const page = await open(`${where}&score=published`);
		await seen(async () => assert.deepEqual((await cells(page, 'Published score')).map((r) => [r[0], r[1], r[2], r[3].replaceAll(',', '')]),
			items.map((r) => [r.function, r.metric, r.device, r.score.toFixed(2)])));
	});

	await test('a run with itself: a banner says so', async () => {
		const page = await open(`/compare?base=${one}&head=${one}`);
		await seen(async () => assert.match(await page.locator('.banner').innerText(), new RegExp(`both sides hold run ${one}`, 'i')));
	});

	await test('a side or a setting that the server rejects: the message is in the form, which can be corrected', async () => {
		const page = await open(`/compare?base=${one}&head=999999&margin=0.1`, {allowed: /400|404/});
		const form = page.getByRole('form', {name: 'Sides'});
		assert.equal(await form.getByRole('alert').innerText(), 'No run 999999.');
		assert.deepEqual([await page.getByLabel('Base', {exact: true}).inputValue(), await page.getByLabel('Head', {exact: true}).inputValue()], [`${one}`, '999999']);
		await page.getByLabel('Head', {exact: true}).fill('nothing');
		await page.keyboard.press('Enter');
		await form.getByRole('alert').getByText("Head: 'nothing' is neither the id of a run").waitFor();
		await page.getByLabel('Head', {exact: true}).fill(`${three}`);
		await page.keyboard.press('Enter');
		await page.getByRole('table', {name: 'Functions'}).waitFor();
		assert.equal(new URL(page.url()).search, `?base=${one}&head=${three}&margin=0.1`);
		await page.goto(`${base}/compare?base=${one}&head=${three}&range=no+such`);
		await form.getByText('Settings: range no such.').waitFor();
		await form.getByRole('link', {name: 'Compare without these settings'}).click();
		await page.getByRole('table', {name: 'Functions'}).waitFor();
	});
}

async function iterations(test, world) {
	const {open, api, runs: [one]} = world;
	await test('a run\'s iterations: found, drawn, listed; by ranges of another name, and of a name that does not exist', async () => {
		const page = await open(`/runs/${one}?tab=iterations`, {allowed: /404/});
		const {count, kept, items} = await (await api(`/runs/${one}/iterations`)).json();
		await page.getByText(`${kept} of ${count} compared`).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Iterations')).map((r) => r[1]), items.map((c) => c.label)));
		assert.equal(items[0].label, 'ProfilerStep#0');
		await page.getByLabel('Range of an iteration').fill('no such range');
		const response = page.waitForResponse((r) => r.url().includes('range='));
		await page.getByRole('button', {name: 'Show'}).click();
		await seen(async () => assert.equal((await response).status(), 404));
		await page.locator('.notice').getByText('no such range').waitFor();
		await page.getByRole('link', {name: 'As detected'}).click();
		await page.getByRole('table', {name: 'Iterations', exact: true}).waitFor();
	});

	await test('the communication of an iteration: exposed, in total, and the share that overlaps', async () => {
		const run = await sent(world, 'overlap.json', overlapTrace());
		const page = await open(`/runs/${run}?tab=iterations`);
		await page.getByText('50.000 µs per iteration, 40.0 % overlaps with computation').waitFor();
		// From the duration to the overlapped share.
		await seen(async () => assert.deepEqual((await cells(page, 'Iterations')).map((r) => r.slice(4, 11)),
			[['130.000', '100.000', '30.000', '0.000', '0.000', '50.000', '40.0']]));
	});

	await test('the functions of its iteration', async () => {
		const page = await open(`/runs/${one}?tab=patterns`);
		const {items} = await (await api(`/runs/${one}/patterns`)).json();
		assert.equal(items[0].short_name, 'gemm_kernel');
		await seen(async () => assert.deepEqual((await cells(page, 'Functions per iteration')).map((r) => r[0]).sort(), short(items).sort()));
	});
}

async function job(test, world) {
	const {open, api} = world;
	await test('a job: the straggler, the waiting ranks; compared with another job', async () => {
		for (const [name, factors] of [['even', [1, 1, 1]], ['uneven', [1, 1, 1.3]]])
			await Promise.all(factors.map((_, rank) => sent(world, `${name}-${rank}.json`, rankTrace(rank, factors), `&job=${name}`)));
		const {items: [second, first]} = await (await api('/jobs')).json();
		const [even, uneven] = first.name === 'even' ? [first, second] : [second, first];
		const page = await open('/jobs');
		await page.getByRole('link', {name: 'uneven', exact: true}).click();
		await page.getByText(/^Ranks 0 and 1 wait \d+ % of the recorded time, mostly for rank 2; rank 2 computes longer than the median rank/).waitFor();
		// 8 steps: in each, transfer takes 200 µs, and ranks 0 and 1 wait another 300 µs.
		await seen(async () => assert.deepEqual((await cells(page, 'Ranks')).map((r) => [...r.slice(0, 5), ...r.slice(8, 11)]), [
			['0', '2.400', 'rank 2 100.0 %', '0.000', '0 of 8', '8.000', '4.000', '1.600'],
			['1', '2.400', 'rank 2 100.0 %', '0.000', '0 of 8', '8.000', '4.000', '1.600'],
			['2', '0.000', '–', '2.400', '8 of 8', '10.400', '1.600', '1.600']]));
		const waits = page.getByRole('table', {name: 'Ranks', exact: true}).locator('tbody tr').first().locator('td');
		assert.equal(await waits.nth(1).getAttribute('title'),
			'rank 0 waits 2,400,000 ns in collectives at which rank 2 arrives last; for rank 2 alone at most as long');
		// All of it is for rank 2, and rank 2 has 30 % more compute time in the only operator.
		await seen(async () => assert.deepEqual((await cells(page, 'Waiting by the rank that arrives last')).map((r) => [r[0], r[2]]), [
			['rank 0', '2,400.000'], ['rank 1', '2,400.000'], ['rank 2', '0.000']]));
		await seen(async () => assert.deepEqual(await cells(page, 'Time of each operator, above the median rank'), [
			['rank 0', '±0.0'], ['rank 1', '±0.0'], ['rank 2', '+30.0']]));
		// No record names a group or a size. Skew: 500 - 200 µs. Rank 2 is shortest each time.
		const name = ['ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'all_reduce', '–', '8'];
		await seen(async () => assert.deepEqual(await cells(page, 'Collectives'), [[...name, '1,600.000', '–', '–', '300.000']]));
		await seen(async () => assert.deepEqual(await cells(page, 'Time per rank'), [[...name, '4,000.000', '4,000.000', '1,600.000']]));
		await page.getByLabel('Base: another job').selectOption({label: `even (#${even.id})`});
		await page.getByRole('link', {name: 'Compare', exact: true}).last().click();
		await page.getByRole('table', {name: 'Time of an iteration'}).waitFor();
		await seen(async () => assert.match(page.url(), new RegExp(`base=job:${even.id}&head=job:${uneven.id}`)));
	});
}

// Every page of this file, with all that it can show.
async function narrow(test, {open, api, runs: [one, two, three]}) {
	await test('at 390 pixels: nothing is wider than the page, and times are in sight before families', async () => {
		const {items: [{id: job}]} = await (await api('/jobs')).json();
		for (const where of [`/runs?head=${three}&base=${one},${two}`, `/runs/${one}?tab=kernels`, '/jobs', `/jobs/${job}`, `/compare?base=${one},${two}&head=${three}`,
			`/compare?base=${one}&head=${one}`, '/compare?head=1']) {
			const page = await open(where, {viewport: {width: 390, height: 844}});
			await page.evaluate(() => document.querySelectorAll('main details').forEach((d) => { d.open = true; }));
			assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} is wider than the window`);
			if (where.includes('kernels')) {
				const shown = await page.getByRole('table', {name: 'Kernel statistics'}).locator('thead th').evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.innerText));
				assert.deepEqual([shown[0], shown[1]], ['Kernel', 'Time (%)']);
				await page.getByRole('button', {name: /gemm_kernel/}).click();
				await page.locator('.inside dt', {hasText: /^Family$/}).waitFor();
			}
			if (where.startsWith('/runs?'))
				await page.getByText(/^busy [\d.]+ ms, span [\d.]+ ms$/).first().waitFor();
		}
	});
}

// Rank 1 receives 8 + 8 + 8 rows of 1 KiB per call, the others 4 + 4 + 4: 24 of a mean of 16.
const ROWS = [0, 1, 2].map(() => [4, 8, 4]);

async function exchanges(test, world) {
	const {open, api} = world;
	await test('the all-to-alls of a job: bytes between ranks, by keyboard and at 320 pixels', async () => {
		for (const [name, rows] of [['split', ROWS], ['plain', null]])
			await Promise.all([0, 1, 2].map((rank) => sent(world, `${name}-${rank}.json`, exchangeTrace(rank, 3, rows), `&job=${name}`)));
		const {items} = await (await api('/jobs')).json();
		const id = Object.fromEntries(items.map((j) => [j.name, j.id]));
		const page = await open(`/jobs/${id.split}`, {viewport: {width: 320, height: 700}});
		await page.getByText('Imbalance 1.50: rank 1 receives 72.0 KiB, 1.50 times the mean of the ranks.').waitFor();
		const name = 'All-to-all of group 7, all_to_all';
		await seen(async () => assert.deepEqual(await cells(page, name), [0, 1, 2].map((r) => [`rank ${r}`, r === 1 ? '72.0 KiB' : '36.0 KiB', '12.00', '24.00', '12.00'])));
		const table = page.getByRole('table', {name});
		// 3 calls of 8 rows of 1,024 bytes
		assert.equal(await table.getByRole('cell', {name: '24.00'}).first().getAttribute('title'), 'rank 0 sends 24,576 bytes to rank 1');
		const shades = await table.locator('td.heat > span').evaluateAll((list) => list.map((span) => getComputedStyle(span).backgroundColor));
		assert.notEqual(shades[0], shades[1]);
		assert.equal(shades[0], shades[2]);
		// the table scrolls, not the page, and the keyboard reaches it
		const region = page.getByRole('region', {name: `${name}, table`});
		await region.focus();
		assert.ok(await region.evaluate((node) => node === document.activeElement && node.scrollWidth >= node.clientWidth));
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is not wider than the window');
		const csv = await (await fetch(`${world.base}${await page.getByRole('link', {name: 'CSV'}).getAttribute('href')}`)).text();
		assert.equal(csv.split('\n').length, 1 + 9 + 1);
		await page.goto(`${world.base}/jobs/${id.plain}`);
		await page.getByText('Bytes per rank are unknown: the trace does not record split sizes.').waitFor();
		await seen(async () => assert.deepEqual((await cells(page, name)).map((r) => r.slice(2)), [['0', '0', '0'], ['10.00', '10.00', '10.00'], ['20.00', '20.00', '20.00']]));
		await page.goto(`${world.base}/jobs/${id.even}`);
		await page.getByRole('heading', {name: 'Collectives', exact: true}).waitFor();
		assert.equal(await page.getByRole('heading', {name: 'All-to-all balance'}).count(), 0);
	});
}

export default async function flow(test, world) {
	const changed = {slower: {'void elementwise_kernel<4>(float*, int)': 1.6}, more: [['void fresh_kernel(float*)', 60]],
		without: ['void copy_kernel<float>(float*, float*)']};

	await test('traces become runs', async () => {
		world.runs = await Promise.all([1, 2, 3, 4].map((seed) =>
			sent(world, `steps-${seed}.json`, trace({seed, ...(seed > 2 ? changed : {})}))));
	});
	for (const part of [chosen, compared, iterations, job, narrow, exchanges])
		await part(test, world);
}
