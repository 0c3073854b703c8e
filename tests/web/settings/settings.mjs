// settings.mjs - changes tokens, webhooks and retention as an administrator does.
//
// The audit log must list these changes.

import assert from 'node:assert/strict';
import {cells, seen, signedIn} from '../smoke/world.mjs';

const HOOK = 'https://example.org/hook';

async function admin({open, kernsiftd}, where, options) {
	const page = await open('/settings', options);
	await signedIn(page, (await kernsiftd('token', '--scope', 'admin', '--name', 'ada')).trim());
	await page.goto(new URL(where, page.url()).href);
	return page;
}

const names = async (page, caption, column = 0) => (await cells(page, caption)).map((row) => row[column]);

export default async function settings(test, world) {
	await test('without an admin\'s token: the server\'s message, and the sign-in', async () => {
		const page = await world.open('/settings?tab=tokens', {allowed: /401/});
		await page.getByLabel('Access token').fill((await world.kernsiftd('token', '--scope', 'admin', '--name', 'key')).trim());
		await page.getByRole('button', {name: 'Sign in', exact: true}).click();
		await page.getByRole('table', {name: 'Tokens'}).waitFor();
	});

	await test('a token is created, its secret shown once, works, and is revoked by a second press', async () => {
		const page = await admin(world, '/settings?tab=tokens');
		await page.getByLabel('Name').fill('nightly');
		await page.getByLabel('Project').fill('chat');
		await page.getByRole('button', {name: 'Create a token'}).click();
		const text = await page.getByLabel('Secret of the token nightly').inputValue();
		assert.match(text, /^ks_[\w-]{43}$/);
		const me = await fetch(new URL('/api/v1/session', page.url()), {headers: {Authorization: `Bearer ${text}`}});
		const {name, scope, project} = await me.json();
		assert.deepEqual({name, scope, project}, {name: 'nightly', scope: 'upload', project: 'chat'});
		await seen(async () => assert.deepEqual((await cells(page, 'Tokens'))[0].slice(0, 3), ['nightly', 'read and upload', 'chat']));
		await page.reload();
		await page.getByRole('table', {name: 'Tokens'}).waitFor();
		assert.equal(await page.getByLabel('Secret of the token nightly').count(), 0);
		await page.getByRole('button', {name: 'Revoke nightly'}).click();
		await page.getByText('Confirm revoke').click();
		await seen(async () => assert.equal((await names(page, 'Tokens')).includes('nightly'), false));
	});

	await test('a webhook is created, its secret shown once; a test event is sent and listed; the webhook is removed', async () => {
		const page = await admin(world, '/settings?tab=webhooks');
		await page.getByLabel('URL').fill(HOOK);
		await page.getByRole('button', {name: 'Create a webhook'}).click();
		assert.match(await page.getByLabel(`Secret of the webhook to ${HOOK}`).inputValue(), /^[0-9a-f]{64}$/);
		await page.getByRole('button', {name: `Send a test event to ${HOOK}`}).click();
		await page.locator('#news', {hasText: 'test event sent'}).waitFor({state: 'attached'});
		await page.getByRole('button', {name: HOOK, exact: true}).click();
		await seen(async () => assert.equal((await names(page, `Deliveries to ${HOOK}`, 1)).length, 1));
		await page.getByRole('button', {name: `Remove ${HOOK}`}).click();
		await page.getByText('Confirm removal').click();
		await seen(async () => assert.equal(await page.getByText('No webhooks yet.').count(), 1));
	});

	await test('retention is stored as entered, and a second row for a project is rejected', async () => {
		const page = await admin(world, '/settings?tab=retention', {allowed: /400/});
		await page.getByLabel('Uploads, days, all others').fill('90');
		await page.getByRole('button', {name: 'Add a project'}).click();
		await page.getByLabel('Project', {exact: true}).fill('chat');
		await page.getByLabel('Quota, MiB, new project').fill('2048');
		await page.getByRole('button', {name: 'Save'}).click();
		await page.getByText('Saved.').waitFor();
		await page.reload();
		await seen(async () => assert.equal(await page.getByLabel('Uploads, days, all others').inputValue(), '90'));
		assert.equal(await page.getByLabel('Quota, MiB, chat').inputValue(), '2048');
		assert.equal(await page.getByLabel('Runs, days, chat').inputValue(), '');
		// stored names that cannot be typed on the page
		const odd = [{project: '', raw_days: 3, run_days: null, quota_mib: null}, {project: ' a ', raw_days: 4, run_days: null, quota_mib: null},
			{project: 'chat', raw_days: null, run_days: null, quota_mib: 2048}];
		await page.evaluate((items) => fetch('/api/v1/retention', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({items})}), odd);
		await page.reload();
		await page.getByLabel('Uploads, days, (none)').fill('5');
		await page.getByRole('button', {name: 'Save'}).click();
		await page.getByText('Saved.').waitFor();
		const kept = await page.evaluate(async () => (await (await fetch('/api/v1/retention')).json()).items);
		assert.deepEqual(kept.filter((i) => i.project !== null).map((i) => [i.project, i.raw_days]), [['', 5], [' a ', 4], ['chat', null]]);
		await page.getByRole('button', {name: 'Add a project'}).click();
		await page.getByLabel('Project', {exact: true}).last().fill('chat');
		await page.getByRole('button', {name: 'Save'}).click();
		await seen(async () => assert.match(await page.locator('.wrong').innerText(), /chat/));
	});

	await test('every change is in the audit log, newest first, with its actor and outcome', async () => {
		const page = await admin(world, '/settings?tab=audit&actor=ada');
		await page.getByRole('table', {name: 'Audit log'}).waitFor();
		const rows = (await cells(page, 'Audit log')).filter((row) => !row[2].includes('/session'));
		assert.deepEqual(rows.slice(0, 9).map((row) => [row[1], row[2].replace(/\/\d+/g, '/N'), row[5]]), [
			['ada', 'PUT /api/v1/retention', 'rejected'],
			['ada', 'PUT /api/v1/retention', 'done'],
			['ada', 'PUT /api/v1/retention', 'done'],
			['ada', 'PUT /api/v1/retention', 'done'],
			['ada', 'DELETE /api/v1/webhooks/N', 'done'],
			['ada', 'POST /api/v1/webhooks/N/test', 'done'],
			['ada', 'POST /api/v1/webhooks', 'done'],
			['ada', 'DELETE /api/v1/tokens/N', 'done'],
			['ada', 'POST /api/v1/tokens', 'done'],
		]);
	});

	await test('webhooks beyond a page are on the next one', async () => {
		const page = await admin(world, '/settings?tab=webhooks');
		const headers = {Authorization: `Bearer ${(await world.kernsiftd('token', '--scope', 'admin', '--name', 'many')).trim()}`};
		const ask = (method, path, body) => fetch(new URL(`/api/v1${path}`, page.url()), {method, headers, body: body && JSON.stringify(body)});
		for (let i = 0; i < 51; i++)
			assert.equal((await ask('POST', '/webhooks', {url: `https://example.org/${i}`, events: ['gate'], project: `p${i % 2}`})).status, 201);
		await page.reload();
		await seen(async () => assert.equal((await names(page, 'Webhooks')).length, 50));
		await page.getByRole('link', {name: 'Next page'}).click();
		await seen(async () => assert.match((await names(page, 'Webhooks')).join(), /^\S*example.org\/50\S*$/));
		await page.getByRole('link', {name: 'First page'}).click();
		await seen(async () => assert.match((await names(page, 'Webhooks'))[0], /example.org\/0/));
		for (const {id} of (await (await ask('GET', '/webhooks?limit=500')).json()).items)
			await ask('DELETE', `/webhooks/${id}`);
	});
}
