// tokens.mjs - uses the dashboard through a proxy, where every request requires a token.
//
// The page has a field for the token. After it is entered, everything within its scope works,
// including links to files.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {data, seen} from './world.mjs';

const PROXIED = {extraHTTPHeaders: {'X-Forwarded-For': '203.0.113.9'}, allowed: /40[13]/};

export default async function tokens(test, {open, api, kernsiftd}) {
	await test('a page without a token shows a field for it; a wrong token is rejected', async () => {
		const page = await open('/runs', PROXIED);
		await page.getByLabel('Access token').fill('ks_wrong');
		const refused = page.waitForResponse((r) => r.status() === 401);
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await refused;
		await page.getByLabel('Access token').waitFor();
	});

	await test('with a token to read: the run, its CSV, but no upload', async () => {
		const token = (await kernsiftd('token', '--scope', 'read', '--name', 'page')).trim();
		const {items} = await (await api('/runs')).json();
		const {id} = items.find((r) => r.launches === 5);
		const page = await open(`/runs/${id}?tab=kernels`, PROXIED);
		await page.getByLabel('Access token').fill(token);
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await page.getByRole('table', {name: 'Kernel statistics'}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 0));

		const [download] = await Promise.all([page.waitForEvent('download'),
			page.getByRole('tabpanel').getByRole('link', {name: 'CSV'}).click()]);
		assert.equal(fs.readFileSync(await download.path(), 'utf8'),
			await (await api(`/runs/${id}/kernels?format=csv`)).text());

		await page.getByRole('link', {name: 'Uploads', exact: true}).click();
		await page.setInputFiles('#files', data('two-devices.json'));
		await page.locator('.card .state.failed').waitFor();
		await seen(async () => assert.match(await page.locator('.card .sentence').innerText(), /upload/));
	});
}
