// first.mjs - what a newcomer sees: nothing there yet, and two ways to begin.

import assert from 'node:assert/strict';
import {seen} from './world.mjs';

export default async function first(test, {open, base}) {
	await test('no runs yet: both ways to upload are told', async () => {
		const page = await open('/');
		await seen(async () => assert.equal(await page.title(), 'Runs · kernsift'));
		await seen(async () => assert.equal(await page.locator('.empty h2').innerText(), 'No runs yet'));
		await seen(async () => assert.equal(await page.locator('.empty pre').innerText(),
			`kernsift upload --server ${base} --project demo --wait trace.json.gz`));
		await page.getByRole('link', {name: 'uploads page'}).click();
		await page.getByRole('heading', {name: 'Uploads', exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).pathname, '/uploads'));
		await seen(async () => assert.equal(await page.locator('#past ~ *, .none').last().innerText(), 'Nothing was sent yet.'));
	});

	await test('an address that is no page says so, and back leads back', async () => {
		const page = await open('/runs');
		await page.evaluate(() => history.pushState(null, '', '/nowhere'));
		await page.reload();
		await page.getByRole('heading', {name: 'No such page'}).waitFor();
		await page.goBack();
		await page.getByRole('heading', {name: 'Runs', exact: true}).waitFor();
	});
}
