// real.mjs - what the server itself makes of uploads: a workload, its trend, its
// file, and the library that draws it.

import assert from 'node:assert/strict';
import {data, cells, seen, text, upload} from '../smoke/world.mjs';

export default async function real(test, world) {
	await test('uploads become a series', async () => {
		const [one] = [await upload(world, data('two-devices.json'), '&project=demo&workload=steps&label.commit=abc'),
			await upload(world, data('callers.json'), '&project=demo&workload=steps&label.commit=abd')];
		const id = one.split('/').at(-1);
		const page = await world.open('/trends');
		await page.getByRole('link', {name: 'demo / steps'}).click();
		await page.getByRole('heading', {name: /^Cycle, median/}).waitFor();
		await page.getByLabel('Of', {exact: true}).selectOption('Kernel');
		const names = page.locator('#offered-of option');
		await seen(async () => assert.ok(await names.count() > 0));
		await page.getByRole('combobox', {name: 'Kernel'}).fill(await names.first().getAttribute('value'));
		await page.getByRole('button', {name: 'Show'}).click();
		await page.getByRole('heading', {name: /^Kernel “.*”, average, in \d runs?: no change/}).waitFor();
		await page.getByLabel('As', {exact: true}).selectOption('total');
		await page.getByRole('heading', {name: /, total, in 2 runs: no change of level is shown/}).waitFor();
		await page.locator('.u-over').waitFor();
		await page.getByRole('tab', {name: 'Points in sight'}).click();
		const rows = await cells(page, 'Points in sight');
		assert.deepEqual(rows.map((r) => r[4]), ['abd', 'abc']);
		assert.equal(rows[1][2], `run ${id}`);
		const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'CSV'}).click()]);
		assert.equal(file.suggestedFilename(), 'trend.csv');
		assert.equal((await text(file)).trim().split('\n').length, 3);
	});

	await test('the library comes with its licence, and by the page\'s own policy', async () => {
		const licence = await fetch(`${world.base}/kept/uplot/LICENSE.txt`);
		assert.match(await licence.text(), /MIT License/);
		assert.equal(licence.headers.get('content-type'), 'text/plain; charset=utf-8');
		assert.match((await fetch(`${world.base}/trends`)).headers.get('content-security-policy'), /default-src 'self'/);
	});
}
