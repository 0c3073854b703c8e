// first.mjs - tests a new installation: it has no runs, two ways to upload, and a help page.

import assert from 'node:assert/strict';
import {seen} from './world.mjs';

// With the bundle in the cache, a page needs only its data.
const SECOND_BYTES_MAX = 10000;

export default async function first(test, {open, base, firstView}) {
	await test('the first view loads few bytes, and the second takes the bundle from the cache', async () => {
		const frame = await (await fetch(base)).text();
		const script = /"(\/bundle\/[^"]+\.js)"/.exec(frame)?.[1];
		if (process.env.KERNSIFT_NPM === 'OFF') return;
		assert.ok(script, 'the dashboard is not bundled (for a build with -DKERNSIFT_NPM=OFF, set KERNSIFT_NPM=OFF)');
		const {headers} = await fetch(base + script);
		assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
		await firstView('/', {url: '/jobs', bytes: SECOND_BYTES_MAX});
	});

	await test('no runs yet: the home page shows three commands', async () => {
		const page = await open('/');
		await seen(async () => assert.deepEqual(await page.locator('.empty pre').allInnerTexts(), [
			`kernsift run --server ${base} --project demo -- python3 train.py`,
			`kernsift upload --server ${base} --project demo --wait trace.json.gz`,
			`curl -T trace.json.gz -X POST '${base}/api/v1/uploads?project=demo'`]));
		await page.getByRole('link', {name: 'uploads page'}).click();
		await page.getByRole('heading', {name: 'Uploads', exact: true}).waitFor();
	});

	await test('no runs yet: both ways to upload are shown', async () => {
		const page = await open('/runs');
		await seen(async () => assert.equal(await page.title(), 'Runs · kernsift'));
		await seen(async () => assert.equal(await page.locator('.empty h2').innerText(), 'No runs yet'));
		await seen(async () => assert.equal(await page.locator('.empty pre').innerText(),
			`kernsift upload --server ${base} --project demo --wait trace.json.gz`));
		await page.getByRole('link', {name: 'uploads page'}).click();
		await page.getByRole('heading', {name: 'Uploads', exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).pathname, '/uploads'));
		await seen(async () => assert.equal(await page.locator('#past ~ *, .none').last().innerText(), 'No uploads yet.'));
	});

	await test('an unknown address says so, and back works', async () => {
		const page = await open('/runs');
		await page.evaluate(() => history.pushState(null, '', '/nowhere'));
		await page.reload();
		await page.getByRole('heading', {name: 'No such page'}).waitFor();
		await page.goBack();
		await page.getByRole('heading', {name: 'Runs', exact: true}).waitFor();
	});

	await test('each page links to its section of the help page', async () => {
		const page = await open('/importance');
		await page.getByRole('link', {name: 'Help', exact: true}).click();
		await page.getByRole('heading', {name: 'Help', exact: true}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).hash, '#importance'));
		await seen(async () => assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Importance'));
		await page.getByRole('link', {name: 'Webhooks', exact: true}).click();
		await seen(async () => assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Webhooks'));
		await page.getByRole('link', {name: 'Open Trends'}).click();
		await page.getByRole('heading', {name: 'Trends', exact: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Help', exact: true}).getAttribute('href'), '/help#trends'));
	});
}
