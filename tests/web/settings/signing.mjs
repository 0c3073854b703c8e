// signing.mjs - signs in with a token, and signs out.
//
// The token is entered once, and no script of the page can read it afterwards. One token is
// revoked while it is in use.

import assert from 'node:assert/strict';
import {seen} from '../smoke/world.mjs';

const who = (page) => page.locator('#who').innerText();
const fact = (page, term) => page.locator('.facts div', {has: page.getByText(term, {exact: true})}).locator('dd').innerText();

export default async function signing(test, {open, api, kernsiftd}) {
	const token = async (...words) => (await kernsiftd('token', ...words)).trim();

	await test('not signed in: the page shows the scope, and rejects a wrong token', async () => {
		const page = await open('/settings', {allowed: /401/});
		assert.equal(await who(page), 'Sign in');
		assert.equal(await fact(page, 'Account'), 'not signed in');
		assert.equal(await fact(page, 'Scope'), 'read and upload');
		await page.getByLabel('Access token').fill(`ks_${'x'.repeat(43)}`);
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await seen(async () => assert.match(await page.locator('.wrong').innerText(), /^the token is unknown/));
	});

	await test('signed in: shown on every page, unreadable for scripts, deleted by signing out', async () => {
		const page = await open('/settings');
		await page.getByLabel('Access token').fill(await token('--scope', 'admin', '--name', 'ada'));
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await seen(async () => assert.equal(await who(page), 'ada'));
		assert.equal(await fact(page, 'Scope'), 'everything');
		assert.equal(await fact(page, 'Project'), 'all projects');

		const [cookie] = await page.context().cookies();
		assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/']);
		assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({...localStorage, ...sessionStorage})), '{}');

		await page.goto(page.url().replace('/settings', '/jobs'));
		await seen(async () => assert.equal(await who(page), 'ada'));
		await page.locator('#who').click();
		await page.getByRole('button', {name: 'Sign out'}).click();
		await seen(async () => assert.equal(await who(page), 'Sign in'));
		assert.deepEqual(await page.context().cookies(), []);
	});

	await test('a token that is revoked while it is in use: the next page says so, and not signed in', async () => {
		const page = await open('/settings', {allowed: /401/});
		await page.getByLabel('Access token').fill(await token('--scope', 'read', '--name', 'brief'));
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await seen(async () => assert.equal(await who(page), 'brief'));
		const admin = await token('--scope', 'admin', '--name', 'revoker');
		const headers = {Authorization: `Bearer ${admin}`};
		const base = new URL(page.url()).origin;
		const {items} = await (await fetch(`${base}/api/v1/tokens`, {headers})).json();
		await fetch(`${base}/api/v1/tokens/${items.find((t) => t.name === 'brief').id}`, {method: 'DELETE', headers});
		await page.reload();
		await seen(async () => assert.equal(await who(page), 'Sign in'));
		await seen(async () => assert.equal(await fact(page, 'Account'), 'not signed in'));
		assert.ok(await (await api('/session')).json());
	});
}
