// real.mjs - tests trends with the server's own answers for uploads.
//
// It reads a workload, its trend, its file, and the chart library.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {trace} from '../compare/trace.mjs';
import {data, cells, seen, text, upload} from '../smoke/world.mjs';

export default async function real(test, world) {
	await test('uploads become a series', async () => {
		const [one] = [await upload(world, data('two-devices.json'), '&project=demo&workload=steps&label.commit=abc'),
			await upload(world, data('callers.json'), '&project=demo&workload=steps&label.commit=abd')];
		const id = one.split('/').at(-1);
		const page = await world.open('/trends');
		await page.getByRole('link', {name: 'demo / steps'}).click();
		await page.getByRole('heading', {name: /^Iteration, median/}).waitFor();
		await page.getByLabel('Metric', {exact: true}).selectOption('Kernel');
		const names = page.locator('#offered-of option');
		await seen(async () => assert.ok(await names.count() > 0));
		await page.getByRole('combobox', {name: 'Kernel'}).fill(await names.first().getAttribute('value'));
		await page.getByRole('button', {name: 'Show'}).click();
		await page.getByRole('heading', {name: /^Kernel “.*”, average, in \d runs?: \d runs? (is|are) too few for a change point/}).waitFor();
		await page.getByLabel('Statistic', {exact: true}).selectOption('total');
		await page.getByRole('heading', {name: /, total, in 2 runs: 2 runs are too few/}).waitFor();
		await page.getByText('2 runs are too few for a change point, which needs at least 10: with fewer than 10, even the clearest change has a p above 0.01.').waitFor();
		await page.locator('.u-over').waitFor();
		await page.getByRole('tab', {name: 'Visible points'}).click();
		const rows = await cells(page, 'Visible points');
		assert.deepEqual(rows.map((r) => r[4]), ['abd', 'abc']);
		assert.equal(rows[1][2], `run ${id}`);
		const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'CSV'}).click()]);
		assert.equal(file.suggestedFilename(), 'trend.csv');
		assert.equal((await text(file)).trim().split('\n').length, 3);
	});

	await test('the library comes with its license, and by the page\'s own policy', async () => {
		const license = await fetch(`${world.base}/kept/uplot/LICENSE.txt`);
		assert.match(await license.text(), /MIT License/);
		assert.equal(license.headers.get('content-type'), 'text/plain; charset=utf-8');
		assert.match((await fetch(`${world.base}/trends`)).headers.get('content-security-policy'), /default-src 'self'/);
	});

	await test('a gate is created on the page, and shows the server\'s answer', async () => {
		const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-gate-'));
		const send = async (seed, branch, slower) => {
			const file = path.join(dir, `steps-${seed}.json`);
			fs.writeFileSync(file, trace({seed, slower}));
			return (await upload(world, file, `&project=ci&workload=steps&label.branch=${branch}`)).split('/').at(-1);
		};
		const main = [];
		for (const seed of [1, 2, 3, 4, 5])
			main.push(await send(seed, 'main', {}));
		const head = [];
		for (const seed of [6, 7, 8])
			head.push(await send(seed, 'new', {'void gemm_kernel<float>(float*, int)': 1.5}));
		fs.rmSync(dir, {recursive: true});
		const page = await world.open('/gates');
		await page.getByText('Create a gate').click();
		await page.getByLabel('Baseline', {exact: true}).fill('label.branch=main last=4');
		await page.getByLabel('Head', {exact: true}).fill(head.join(','));
		await page.getByText(`Matches 4 runs: ${main.slice(1).map((id) => `#${id}`).join(', ')}.`).waitFor();
		await page.getByRole('button', {name: 'Create gate', exact: true}).click();
		await page.waitForURL('**/gates/*');
		const gate = await (await world.api(`/gates/${new URL(page.url()).pathname.split('/').at(-1)}`)).json();
		assert.equal(gate.outcome, 'regressed');
		assert.deepEqual([gate.base.runs.map(String), gate.head.runs.map(String)], [main.slice(1), head]);
		await seen(async () => assert.equal((await page.locator('h1').innerText()).slice(1).replace(/\.$/, ''), gate.summary.slice(1).replace(/\.$/, '')));
		await seen(async () => assert.equal((await cells(page, 'Rules of the gate')).length, gate.rules.length));
		// No run is old enough to be a level of its own.
		const anchor = page.locator('.side-card').filter({has: page.getByRole('heading', {name: 'Anchor'})});
		assert.ok(gate.anchor.reason);
		await seen(async () => assert.ok((await anchor.innerText()).endsWith(`none: ${gate.anchor.reason}`)));
		await page.getByRole('link', {name: 'Compare both sides'}).click();
		await page.getByRole('table', {name: 'Functions'}).waitFor();
		await page.goto(`${world.base}/trends?project=ci&workload=steps`);
		await page.getByRole('heading', {name: /^Iteration, median, in 8 runs/}).waitFor();
	});
}
