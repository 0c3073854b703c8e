// runs.mjs - tests the list of runs.
//
// The address stores the filter, the order and the page, so opening it gives the same view.

import assert from 'node:assert/strict';
import {seen} from './world.mjs';

const names = (page) => page.locator('tbody th a').allInnerTexts();

export default async function runs(test, {open, api}) {
	const {items} = await (await api('/runs')).json();
	assert.equal(items.length, 3, 'two-devices, cut-short and many are here');
	const called = (list) => list.map((r) => r.name || `run ${r.id}`);

	await test('newest first, each a link', async () => {
		const page = await open('/runs');
		await seen(async () => assert.deepEqual(await names(page), called(items)));
		await seen(async () => assert.equal(await page.locator('[aria-sort]').innerText(), 'Added'));
		await page.locator('tbody th a').first().click();
		await page.locator('.crumbs').waitFor();
		await seen(async () => assert.equal(new URL(page.url()).pathname, `/runs/${items[0].id}`));
		await page.goBack();
		await page.getByRole('heading', {name: 'Runs', exact: true}).waitFor();
		await seen(async () => assert.deepEqual(await names(page), called(items)));
	});

	await test('filter by project and label, by the address alone as well', async () => {
		const page = await open('/runs');
		await page.getByLabel('Project').fill('demo');
		await page.getByLabel('Label', {exact: true}).fill('branch=main');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.waitForURL(/project=demo/);
		await page.getByRole('link', {name: 'Clear'}).waitFor();
		await seen(async () => assert.equal((await names(page)).length, 2));
		const again = await open(new URL(page.url()).pathname + new URL(page.url()).search);
		await seen(async () => assert.deepEqual(await names(again), await names(page)));
		await seen(async () => assert.equal(await again.getByLabel('Project').inputValue(), 'demo'));
		await again.getByRole('link', {name: 'Clear'}).click();
		await again.waitForURL((url) => url.search === '');
		await again.locator('tbody tr').nth(2).waitFor();
	});

	await test('nothing matches: a message instead of rows', async () => {
		const page = await open('/runs?q=no-such-thing');
		await seen(async () => assert.equal(await page.locator('.none').innerText(),
			'No run matches. Change or clear the filter.'));
	});

	await test('sorted by the server', async () => {
		const page = await open('/runs');
		await page.getByRole('button', {name: 'Busy'}).click();
		await page.waitForURL(/sort=busy/);
		await page.locator('th[aria-sort="descending"]', {hasText: 'Busy'}).waitFor();
		// many: 3,000 × 5 µs; two-devices: 100 µs; cut-short: 10 µs
		await seen(async () => assert.deepEqual(await page.locator('tbody td:nth-child(8)').evaluateAll((all) =>
			all.map((td) => td.title)), ['15,000,000 ns', '100,000 ns', '10,000 ns']));
	});

	await test('page by page', async () => {
		const page = await open('/runs?limit=2');
		await seen(async () => assert.deepEqual(await names(page), called(items.slice(0, 2))));
		await page.getByRole('link', {name: 'Next page'}).click();
		await page.getByRole('link', {name: 'First page'}).waitFor();
		await seen(async () => assert.deepEqual(await names(page), called(items.slice(2))));
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Next page'}).count(), 0));
	});

	await test('the server\'s message about a wrong address is shown once, on top', async () => {
		const page = await open('/runs?sort=color', {allowed: /400/});
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 1));
		const message = await page.getByRole('alert').innerText();
		assert.match(message, /^Failed: .*'color'/);
		await seen(async () => assert.equal(await page.getByRole('heading').innerText(), 'This page could not be loaded'));
	});
}
