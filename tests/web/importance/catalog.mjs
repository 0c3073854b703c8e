// catalog.mjs - tests the page of the catalog.
//
// Site overrides of rules, operators and platforms are rejected or saved. Naming rules are
// tried. A reference set is deleted.

import assert from 'node:assert/strict';
import {cells, seen, signedIn} from '../smoke/world.mjs';
import {unattributed} from './documents.mjs';

const EDITOR = 'Site overrides: rules, a JSON list';

async function edited(page, text) {
	await page.locator('.editor > summary').click();
	await page.getByLabel(EDITOR).fill(text);
	await page.getByRole('button', {name: 'Save', exact: true}).click();
}

export default async function catalog(test, {open, api, kernsiftd}) {
	const token = (await kernsiftd('token', '--scope', 'admin', '--name', 'catalog')).trim();

	await test('every part is listed: operators, rules in their order, platforms with their sources', async () => {
		const page = await open('/catalog');
		for (const [tab, what, caption, key] of [['Operators', 'operators', 'Operators of the catalog', 'name'], ['Naming rules', 'rules', 'Naming rules', 'match'],
			['Platforms', 'platforms', 'Platforms', 'name']]) {
			await page.getByRole('tab', {name: tab}).click();
			await page.getByRole('table', {name: caption, exact: true}).waitFor();
			const {items} = await (await api(`/${what}`)).json();
			await seen(async () => {
				const shown = await page.getByRole('table', {name: caption, exact: true}).locator('tbody').first().locator('th[scope="row"]').allInnerTexts();
				assert.deepEqual(shown.map((name) => name.trim()), items.slice(0, shown.length).map((r) => r[key]));
				assert.ok(shown.length > 5);
			});
		}
		await page.getByLabel('Search platforms').fill('h20');
		await seen(async () => assert.deepEqual((await cells(page, 'Platforms')).map((r) => r[0]).filter((name) => name === 'H20'), ['H20']));
		await seen(async () => assert.equal(new URL(page.url()).search, '?tab=platforms&q=h20'));
	});

	await test('a name is tested against the rules, and against edited rules before they are saved', async () => {
		const page = await open('/catalog?tab=rules&test=zebra_kernel%3Cfloat%3E');
		await page.getByRole('table', {name: 'Tested names'}).waitFor();
		const [row] = await cells(page, 'Tested names');
		assert.deepEqual(row.slice(0, 3), ['zebra_kernel<float>', '–', '–']);
		assert.equal(row[3], (await (await fetch(`${new URL(page.url()).origin}/api/v1/rules/test`, {method: 'POST',
			headers: {'Content-Type': 'application/json'}, body: '{"names": ["zebra_kernel<float>"]}'})).json()).items[0].reason);
		await page.locator('.editor > summary').click();
		await page.getByLabel(EDITOR).fill('[{"match": "zebra_\\\\w+", "family": "zebra", "operator": "rms_norm"}]');
		await page.getByLabel('use the rules as edited above').check();
		await page.getByRole('button', {name: 'Test'}).click();
		await page.locator('mark').waitFor();
		await seen(async () => assert.equal(await page.locator('mark').innerText(), 'zebra_kernel'));
		await seen(async () => assert.deepEqual((await cells(page, 'Tested names'))[0].slice(1, 3), ['rms_norm', 'zebra']));
		assert.deepEqual((await (await api('/rules')).json()).site_overrides, [], 'a trial saves nothing');
	});

	await test('an invalid edit is rejected with a message, and the text stays as typed', async () => {
		const page = await open('/catalog?tab=rules', {allowed: /40[0-9]/});
		await edited(page, '[{"match": "zebra"');
		await seen(async () => assert.match(await page.locator('.refused .sentence').innerText(), /^Not saved: this is not JSON: /));
		await page.getByLabel(EDITOR).fill('[{"match": "zebra(", "operator": "rms_norm"}]');
		await page.getByRole('button', {name: 'Save', exact: true}).click();
		await page.getByLabel('Access token').fill(token);
		await page.getByRole('button', {name: 'Sign in'}).click();
		await page.getByText(/^Not saved: .*zebra\(/).waitFor();
		await seen(async () => assert.equal(await page.getByLabel(EDITOR).inputValue(), '[{"match": "zebra(", "operator": "rms_norm"}]'));
		assert.deepEqual((await (await api('/rules')).json()).site_overrides, []);
	});

	await test('a saved rule is listed first and matches its name; another user\'s edit is not overwritten', async () => {
		const page = await open('/catalog?tab=rules&test=zebra_kernel', {allowed: /40[019]/});
		await signedIn(page, token);
		const other = await open('/catalog?tab=rules', {allowed: /40[019]/});
		await signedIn(other, token);
		await edited(page, '[{"match": "zebra_kernel", "family": "zebra", "operator": "rms_norm"}]');
		await page.getByText(/^Saved as version \d+\./).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Naming rules'))[0].map((c) => c.replace(/\s+/g, ' ')), ['0', 'zebra_kernel site override', 'zebra', 'rms_norm']));
		await page.getByRole('button', {name: 'Test'}).click();
		await page.locator('mark').waitFor();
		await edited(other, '[]');
		await other.getByRole('button', {name: 'Load the saved version'}).click();
		await other.getByText('The saved version is shown.').waitFor();
		await seen(async () => assert.match(await other.getByLabel(EDITOR).inputValue(), /zebra_kernel/));
	});

	await test('the example of every kind can be saved unchanged', async () => {
		for (const tab of ['operators', 'rules', 'platforms']) {
			const page = await open(`/catalog?tab=${tab}`);
			await signedIn(page, token);
			if (await page.getByRole('button', {name: 'Add an example'}).isHidden())
				await page.locator('.editor > summary').click();
			await page.getByRole('button', {name: 'Add an example'}).click();
			await page.getByRole('button', {name: 'Save', exact: true}).click();
			await page.getByText(/^Saved as version \d+\./).waitFor();
			assert.equal((await (await api(`/${tab}`)).json()).items.filter((r) => r.site_override).length, tab === 'rules' ? 2 : 1);
		}
	});

	await test('all unattributed kernels can be reached, page by page', async () => {
		const [kernel] = unattributed().items;
		const page = await open('/catalog?tab=unattributed', {answers: {'/unattributed': (q) => {
			const from = Number(q.get('cursor') ?? 0);
			const n = Math.min(Number(q.get('limit')), 1500 - from);
			return {items: Array.from({length: n}, (_, i) => ({...kernel, name: `kernel_${from + i}`})), next: from + n < 1500 ? String(from + n) : null};
		}}});
		await page.getByText('1,000 kernels', {exact: true}).waitFor();
		await page.getByRole('button', {name: 'Load more kernels'}).click();
		await page.getByText('1,500 kernels', {exact: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('button', {name: 'Load more kernels'}).count(), 0));
	});

	await test('unattributed kernels are listed by time, each with a link to the rules', async () => {
		const page = await open('/catalog?tab=unattributed');
		const {items} = await (await api('/unattributed')).json();
		await seen(async () => assert.deepEqual((await cells(page, 'Unattributed kernels')).map((r) => r[0]), items.map((k) => k.name)));
		await page.getByRole('link', {name: /^Test rules for/}).first().click();
		await page.getByRole('table', {name: 'Tested names'}).waitFor();
		await seen(async () => assert.equal((await cells(page, 'Tested names'))[0][0], items[0].name));
	});

	await test('a reference set is deleted by a second press, with an admin token', async () => {
		const page = await open('/catalog?tab=reference-sets');
		await signedIn(page, token);
		await page.getByRole('button', {name: 'Remove operators'}).click();
		await page.getByText('Confirm removal').click();
		await page.getByRole('link', {name: 'operators', exact: true}).waitFor({state: 'detached'});
	});
}
