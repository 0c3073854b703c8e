// graphs.mjs - tests a run whose GPU time is in graphs recorded as one unit.
//
// The run has few kernels of its own. No number may suggest that these are all its kernels.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {cells, data, seen, upload} from './world.mjs';

// Uploads the export that graphs.sql describes.
async function uploadGraphs(world) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-graphs-'));
	const file = path.join(dir, 'graphs.sqlite');
	try {
		execFileSync('sqlite3', [file], {input: fs.readFileSync(data('graphs.sql'))});
		return await upload(world, file);
	} finally {
		fs.rmSync(dir, {recursive: true});
	}
}

export default async function graphs(test, world) {
	const {open} = world;
	const run = await uploadGraphs(world);

	await test('a warning is above every number, with what is hidden and how to see it', async () => {
		const page = await open(run);
		const banner = page.getByRole('region', {name: '99.2 % of this run\'s GPU time is not in its kernel table'});
		await seen(async () => assert.match(await banner.innerText(), /4 replays of CUDA graphs, 9\.920 ms in all, were recorded as one piece/));
		await seen(async () => assert.match(await banner.innerText(), /nsys profile --cuda-graph-trace=node/));
		const above = await banner.evaluate((b) => b.compareDocumentPosition(document.querySelector('.drawer .totals')));
		assert.ok(above & 4, 'the totals follow the banner');
		await page.getByText('Details: process, upload, totals, timeline').click();
		await seen(async () => assert.deepEqual(await page.locator('.drawer .total').evaluateAll((all) => all.slice(0, 6).map((d) =>
			[d.querySelector('dt').innerText, d.querySelector('dd').innerText])), [
			['Kernels and graphs busy', '10.000 ms'], ['Span', '10.119 ms'], ['Graph replay time', '9.920 ms'],
			['Kernel time outside graphs', '80.000 µs'], ['Launches', '2 + 4 graph replays'],
			['Kernels outside graphs', '1']]));
	});

	await test('the graphs have a table of their own, before the kernels', async () => {
		const page = await open(`${run}?tab=kernels`);
		await seen(async () => assert.deepEqual((await cells(page, 'Graph replays')).map((r) => r.slice(0, 6)), [
			['4', '5', '0', '6,000.000', '3', '2,000.000'], ['6', '9', '0', '3,920.000', '1', '3,920.000']]));
		await page.getByRole('button', {name: 'Avg (µs)'}).first().click();
		await seen(async () => assert.deepEqual((await cells(page, 'Graph replays')).map((r) => r[0]), ['6', '4']));
		await seen(async () => assert.deepEqual(await page.getByRole('tabpanel').getByRole('heading').allInnerTexts(),
			['Graph replays', 'Kernels outside graphs']));
	});

	await test('the list of runs marks it, and counts replays separately', async () => {
		const page = await open(`/runs?q=graphs.sqlite`);
		const row = page.locator('tbody tr').first();
		await seen(async () => assert.equal(await row.locator('.mark').innerText(), 'graphs recorded as one piece'));
		await seen(async () => assert.match(await row.innerText(), /2 \+ 4 graph replays/));
	});
}
