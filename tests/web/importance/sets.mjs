// sets.mjs - an imported reference set gives exactly the published tables.
//
// data/README.md computes the figures. tests/verify/ compares the page of the real reference
// set with the published page.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {cells, data, seen, text} from '../smoke/world.mjs';

const GENERAL = 'Importance of operators';
const ROOFLINE = 'Roofline of operators';
const SHAPES = 'Shapes of operators';
const flat = (rows) => rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')));
// The details of an opened row are in a table row of their own.
const table = async (page, caption, upTo) => flat(await cells(page, caption)).filter((row) => row.length > 1).map((row) => row.slice(0, upTo));

async function imported(test, {open}) {
	await test('nothing is stored yet: both ways to begin are shown', async () => {
		const page = await open('/importance');
		await seen(async () => assert.equal(await page.locator('.empty h2').innerText(), 'No runs yet'));
		await page.getByRole('link', {name: 'import a reference set'}).click();
		await page.getByRole('table', {name: 'Reference sets'}).waitFor();
		await seen(async () => assert.equal(await page.locator('.none').innerText(), 'No reference set is imported yet.'));
	});

	await test('a file that is no reference set is rejected with the server\'s message', async () => {
		const page = await open('/catalog?tab=reference-sets', {allowed: /400/});
		await page.setInputFiles('#set-file', {name: 'odd.json', mimeType: 'application/json', buffer: Buffer.from('{"operators": 1}')});
		await page.locator('.wrong:not(:empty)').waitFor();
		await seen(async () => assert.match(await page.locator('.wrong').innerText(), /^odd\.json: .{10}/));
	});

	await test('a reference set is imported from a file, under its name or another, and only once', async () => {
		const page = await open('/catalog?tab=reference-sets');
		await page.setInputFiles('#set-file', data('operators.json'));
		await page.getByText('operators is imported.', {exact: true}).waitFor();
		await page.getByRole('link', {name: 'operators', exact: true}).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Reference sets')).map((r) => r.slice(0, 4)), [['operators', '4', '7', '200']]));
		await page.setInputFiles('#set-file', data('operators.json'));
		await page.getByText('operators already exists.').waitFor();
		await page.getByRole('link', {name: 'operators', exact: true}).click();
		await page.getByText('4 operators with 7 shapes, importance from 200 production profiles, roofline bounds on', {exact: false}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?reference_set=operators'));
	});
}

async function published(test, {open, api}) {
	const where = '/importance?reference_set=operators';
	await test('the three tables equal the published ones exactly', async () => {
		const page = await open(where);
		await seen(async () => assert.deepEqual(await table(page, GENERAL, 5), [
			['prefill_attention made_001', 'bf16', 'prefill', '3', '39.5%'], ['row_norm made_002', 'bf16', 'prefill/decode', '2', '2.8%'],
			['sort_rows made_003', 'int32', 'decode', '1', '1.1%'], ['quant_rows made_004', 'fp8_e4m3', 'prefill/decode', '1', '0.1%']]));
		await page.getByRole('tab', {name: 'Roofline'}).click();
		await page.getByRole('table', {name: ROOFLINE}).waitFor();
		const heads = await page.getByRole('table', {name: ROOFLINE}).locator('thead th').allInnerTexts();
		const order = ['T_SOL (SlowGPU)', 'T_SOL (FastGPU)', 'T_prod (FastGPU)'].map((head) => heads.indexOf(head));
		await seen(async () => assert.deepEqual((await table(page, ROOFLINE)).map((r) => [...r.slice(0, 3), ...order.map((i) => r[i])]), [
			['prefill_attention made_001', 'C compute', '15.4k', '3.43 ms', '1.71 ms', '29.4 ms'],
			['row_norm made_002', 'M memory', '0.7', '27.18 us', '13.59 us', '118 us'],
			['sort_rows made_003', 'I indexing', '0.0', '33.57 us', '16.79 us', '805 us'],
			['quant_rows made_004', 'M memory', '0.3', '40.00 us', '20.00 us', '16 us']]));
		await page.getByRole('tab', {name: 'Shapes'}).click();
		await page.getByRole('table', {name: SHAPES}).waitFor();
		await seen(async () => assert.deepEqual(await table(page, SHAPES), [['sort_rows made_003', '1', '2.1%', '○ low'], ['row_norm made_002', '2', '11.5%', '○ low'],
			['prefill_attention made_001', '3', '25.0%', '◐ fair'], ['quant_rows made_004', '1', '125.0%', '⚠ above 1']]));
	});

	await test('an operator opens to its shapes with the keyboard, in every table; the address opens it again', async () => {
		const page = await open(`${where}&tab=shapes`);
		const row = page.getByRole('button', {name: 'prefill_attention made_001'});
		await seen(async () => assert.equal(await row.getAttribute('aria-expanded'), 'false'));
		await row.focus();
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(await row.getAttribute('aria-expanded'), 'true'));
		await page.getByRole('table', {name: 'Shapes of prefill_attention'}).waitFor();
		const shapes = async (p) => flat(await cells(p, 'Shapes of prefill_attention')).map((r) => r.slice(0, 3));
		const want = [['#0 (vLLM TP1), causal attention, seq_len=1024 heads=16/4', '25.0%', '◐ fair'],
			['#2 (vLLM TP1), causal attention, seq_len=8192 heads=16/4', '5.8%', '○ low'],
			['#3 (SGLang), causal attention, seq_len=2048 heads=16/4', '50.0%', '● good']];
		await seen(async () => assert.deepEqual(await shapes(page), want));
		await page.getByRole('table', {name: 'Shapes of prefill_attention'}).getByRole('button', {name: 'S', exact: true}).click();
		await seen(async () => assert.deepEqual((await shapes(page)).map((r) => r[1]), ['50.0%', '25.0%', '5.8%']));
		await seen(async () => assert.match(page.url(), /open=prefill_attention/));
		await page.getByRole('tab', {name: 'Importance'}).click();
		await page.getByRole('table', {name: GENERAL}).waitFor();
		await seen(async () => assert.deepEqual((await shapes(page)).length, 3, 'open in one table, open in all'));
		await page.getByRole('button', {name: 'prefill_attention made_001'}).click();
		await seen(async () => assert.equal(await page.getByRole('table', {name: 'Shapes of prefill_attention'}).count(), 0));
		await seen(async () => assert.doesNotMatch(page.url(), /open=/));
		await page.goto(page.url().replace('/importance?', '/importance?open=quant_rows&'));
		await page.getByRole('table', {name: 'Shapes of quant_rows'}).waitFor();
		await seen(async () => assert.equal((await cells(page, 'Shapes of quant_rows'))[0][0], '#0 (SGLang TP8), <img src=x onerror="document.title=1"> input=(1,2048)'));
		await seen(async () => assert.equal(await page.locator('main img').count(), 0, 'names are text'));
	});

	await test('sorting and search of each table are in the address', async () => {
		const page = await open(where);
		const names = async (p, caption) => (await table(p, caption)).map((r) => r[0].split(' ')[0]);
		await page.getByRole('button', {name: 'Operator', exact: true}).click();
		await seen(async () => assert.deepEqual(await names(page, GENERAL), ['prefill_attention', 'quant_rows', 'row_norm', 'sort_rows']));
		await page.getByLabel('Search operators').fill('ROW');
		await page.getByText('3 of 4 operators').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?reference_set=operators&sort=name&q=ROW'));
		await page.reload();
		await page.getByText('3 of 4 operators').waitFor();
		await seen(async () => assert.deepEqual(await names(page, GENERAL), ['quant_rows', 'row_norm', 'sort_rows']));
		await page.getByRole('tab', {name: 'Roofline'}).click();
		await page.getByRole('table', {name: ROOFLINE}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?reference_set=operators&tab=roofline'));
		await page.getByRole('button', {name: 'T_prod (FastGPU)'}).click();
		await seen(async () => assert.deepEqual(await names(page, ROOFLINE), ['prefill_attention', 'sort_rows', 'row_norm', 'quant_rows']));
		await page.getByLabel('Search operators').fill('nothing such');
		await seen(async () => assert.deepEqual(await cells(page, ROOFLINE), [['No operator matches the search.']]));
	});

	await test('the roofline has every operator with floating-point work, and its numbers as a table', async () => {
		const page = await open(`${where}&tab=roofline`);
		const drawn = page.getByRole('img', {name: /^Roofline on FastGPU: 3 operators/});
		await seen(async () => assert.equal(await drawn.locator('.point').count(), 3));
		await seen(async () => assert.deepEqual(await drawn.locator('.roof-name').allTextContents(), ['fp8_e4m3 400 TFLOP/s', 'bf16 200 TFLOP/s', '4.00 TB/s']));
		await page.getByText('Not drawn: 1 operator without floating-point work: sort_rows.').waitFor();
		await page.locator('.numbers summary').click();
		// 342.68 GFLOP in 29.36138 ms
		await seen(async () => assert.deepEqual((await cells(page, /, data$/))[0].map((c) => c.replace(/\s+/g, ' ')),
			['prefill_attention', 'C compute', '15.4k', '11.7 TFLOP/s', '–', '39.5%']));
		await page.getByRole('button', {name: 'prefill_attention made_001'}).click();
		await page.getByRole('img', {name: /^Roofline on FastGPU: 3 shapes/}).waitFor();
		await page.getByRole('button', {name: 'All operators'}).click();
		await drawn.waitFor();
		await page.getByLabel('Platform of the roofline').selectOption('SlowGPU');
		await page.getByText('Nothing to draw on SlowGPU: no row has both a cost and a time on one platform.').waitFor();
		await seen(async () => assert.match(page.url(), /on=SlowGPU/));
	});

	await test('CSV, Markdown and the benchmark\'s JSON equal those of the API', async () => {
		const page = await open(where);
		for (const [link, format, end] of [['CSV', 'csv', /\.csv$/], ['Markdown', 'md', /\.md$/], ['Benchmark JSON', 'bench', /\.json$/]]) {
			const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: link, exact: true}).click()]);
			assert.match(download.suggestedFilename(), end);
			const got = await text(download);
			assert.equal(got, await (await api(`/importance?reference_set=operators&format=${format}`)).text());
			assert.match(got, /prefill_attention/);
		}
	});
}

// Compares every cell for the reference set of the published page, if that is available.
async function real(test, {open, base, shared}) {
	const file = `${shared}/reference/operators/production_operators.json`;
	if (!fs.existsSync(file))
		return;
	await test('the reference set of the published page returns its three tables exactly', async () => {
		const sent = await fetch(`${base}/api/v1/reference-sets?name=real`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: fs.readFileSync(file)});
		assert.equal(sent.status, 201);
		const lines = fs.readFileSync(`${shared}/reference/seeds/004_operator_importance_page.md`, 'utf8').split('\n');
		const rows = (pattern) => lines.map((line) => line.match(pattern)?.slice(1)).filter(Boolean);
		const page = await open('/importance?reference_set=real');
		await seen(async () => assert.deepEqual((await table(page, GENERAL)).map((r) => [r[0], r[1], r[3], r[4]]), rows(/^(\w+ atrex_\d+) \| (\w+) \| (\d+) \| ([\d.]+%) \|$/)));
		await page.getByRole('tab', {name: 'Roofline'}).click();
		await page.getByRole('table', {name: ROOFLINE}).waitFor();
		const heads = await page.getByRole('table', {name: ROOFLINE}).locator('thead th').allInnerTexts();
		const order = ['T_SOL (H20)', 'T_SOL (XPU-A)', 'T_prod (XPU-A)'].map((head) => heads.indexOf(head));
		await seen(async () => assert.deepEqual((await table(page, ROOFLINE)).map((r) => [r[0].split(' ')[0], r[1][0], r[2], ...order.map((i) => r[i])]),
			rows(/^(\w+) \| ([CMI]) \| (\S+) \| (\S+ \w+) \| (\S+ \w+) \| (\S+ \w+) \|$/)));
		await page.getByRole('tab', {name: 'Shapes'}).click();
		await page.getByRole('table', {name: SHAPES}).waitFor();
		const medians = rows(/^\| ▶ \| (\w+) \| (\d+) \| ([\d.]+%) \|/);
		await seen(async () => assert.deepEqual((await table(page, SHAPES)).map((r) => [r[0].split(' ')[0], r[1], r[2]]), medians));
		const [[name]] = medians.filter(([, n]) => n === '56');
		await page.getByRole('button', {name: new RegExp(`^${name} `)}).click();
		await page.getByRole('table', {name: `Shapes of ${name}`}).waitFor();
		const from = lines.findIndex((line) => line.includes(`▶ | ${name} |`)) + 1;
		await seen(async () => assert.deepEqual((await cells(page, `Shapes of ${name}`)).map((r) => r.slice(0, 2)),
			lines.slice(from, from + 56).map((line) => line.match(/^\| (#.*) \| ([\d.]+%) \|/).slice(1))));
	});
}

export default async function sets(test, world) {
	await imported(test, world);
	await published(test, world);
	await real(test, world);
}
