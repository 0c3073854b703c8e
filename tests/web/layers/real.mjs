// real.mjs - the page shows what the server returns for real traces.
//
// One trace is small. The other two are of one model on two machines, if available.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {cells, seen, upload} from '../smoke/world.mjs';
import {looked} from '../smoke/accessible.mjs';
import {inUnit} from '../../../web/lib/format.js';
import {parts} from './run.mjs';

const ROWS = 'Rows of the layers';
const us = (ns) => inUnit(ns, 'µs');
const sums = (rows, at) => rows.filter((r) => r[0].startsWith('Sum of ')).map((r) => r[at]);

// The sums on the page equal those of the server, and the parts of the time add up to the wall
// time.
async function same(page, doc) {
	await seen(async () => assert.deepEqual(sums(await parts(page, ROWS), 5), doc.blocks.map((b) => us(b.sum_ns))));
	assert.equal(doc.items.reduce((n, r) => n + r.exclusive_ns, 0), doc.exclusive_ns);
	assert.equal(doc.exclusive_ns + doc.other_ns + doc.overlap_ns + doc.idle_ns, doc.wall_ns);
	await seen(async () => assert.equal((await cells(page, 'Wall time'))[4][0], 'Sum = wall time'));
}

// The rows of each run on the page equal those of the server.
async function sameRows(page, doc) {
	const lines = doc.blocks.flatMap((_, at) => doc.items.filter((line) => line.block === at));
	await seen(async () => {
		const rows = (await parts(page, 'Rows of all runs')).filter((r) => r.length > 1 && !r[0].startsWith('Sum'));
		assert.deepEqual(rows.map((r) => r.length), lines.map((line) => 1 + (line.cells[0] ? 3 : 1) + (line.cells[1] ? 5 : 1)));
		assert.deepEqual(rows.map((r) => r[2]).filter((_, i) => lines[i].cells[0]), lines.filter((line) => line.cells[0]).map((line) => us(line.cells[0].mean_ns)));
	});
}

export default async function real(test, world) {
	const {open, api, run, shared, shots} = world;
	await test('a small run: its layers, or why there are none, and every kernel', async () => {
		const page = await open(`${run}?tab=layers`);
		const doc = await (await api(`${run}/breakdown`)).json();
		assert.ok(doc.items.length > 1);
		await same(page, doc);
		await page.getByText(doc.layers.count ? `${doc.layers.count} layer` : 'No layers: ').first().waitFor();
	});

	const file = (name) => `${shared}/traces/kineto/deepseek-r1-decode_sglang_${name}_tp0.json.gz`;
	const missing = ['b300', 'mi300x'].map(file).find((path) => !fs.existsSync(path));
	if (missing) {
		console.log(`skipped: layers of two machines: there is no '${missing}'`);
		return;
	}
	const pair = [];
	await test('one model on one machine: its layers, and boundaries given by the user', async () => {
		for (const name of ['b300', 'mi300x'])
			pair.push(await upload(world, file(name)));
		const page = await open(`${pair[0]}?tab=layers`, {viewport: {width: 1440, height: 900}});
		const doc = await (await api(`${pair[0]}/breakdown`)).json();
		assert.equal(doc.layers.count, 32);
		await page.locator('.headline', {hasText: /^32 layers/}).waitFor();
		await same(page, doc);
		await looked(page, shots, 'real-layers');
		const given = await open(`${pair[0]}?tab=layers&start=fused_rope&every=2`);
		await given.locator('.headline', {hasText: 'boundaries as given'}).waitFor();
		await same(given, await (await api(`${pair[0]}/breakdown?start=fused_rope&every=2`)).json());
	});

	await test('the other machine\'s names lag: a warning in its tab, and realigned on request', async () => {
		const page = await open(`${pair[1]}?tab=layers`);
		await page.getByRole('link', {name: 'Realign names with durations'}).click();
		await page.getByText('Kernel names were realigned with their durations.').waitFor();
		const doc = await (await api(`${pair[1]}/breakdown?realign=yes`)).json();
		assert.ok(doc.realigned);
		await same(page, doc);
	});

	await test('both compared, as recorded and realigned', async () => {
		const runs = pair.map((where) => where.split('/').at(-1)).join(',');
		const page = await open(`/breakdown?runs=${runs}`, {viewport: {width: 1440, height: 900}});
		await page.getByRole('heading', {name: 'Kernel names are misaligned'}).waitFor();
		await sameRows(page, await (await api(`/breakdown?runs=${runs}`)).json());
		await page.getByRole('link', {name: 'Realign names with durations'}).click();
		await page.getByRole('heading', {name: 'Kernel names were realigned'}).waitFor();
		const doc = await (await api(`/breakdown?runs=${runs}&realign=yes`)).json();
		await sameRows(page, doc);
		assert.ok(doc.items.some((line) => line.cells.every(Boolean) && line.match === 'role'));
		await looked(page, shots, 'real-breakdown-compare');
	});
}
