// timeline.mjs - opens the timeline of a run in the Perfetto UI, and downloads it as files.
//
// A page of the test replaces the Perfetto UI. The UI and the files must get the bytes that the
// server returns.

import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import {seen} from './world.mjs';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

// Behaves like the real UI: it ignores the first PINGs, then answers each with PONG, and
// stores the posted trace.
const UI = `<!doctype html><title>Perfetto</title><script>
	window.pings = 0;
	window.addEventListener('message', (e) => {
		if (e.source !== window.opener)
			return;
		if (e.data === 'PING' && ++window.pings > 2)
			e.source.postMessage('PONG', '*');
		else if (e.data.perfetto)
			window.got = {...e.data.perfetto, origin: e.origin};
	});
</script>`;

const played = (page, body) => page.context().route('https://ui.perfetto.dev/**', (route) => (body === null
	? route.abort() : route.fulfill({contentType: 'text/html', body})));

async function opened(page) {
	const [tab] = await Promise.all([page.context().waitForEvent('page'),
		page.getByRole('button', {name: 'Open in Perfetto'}).click()]);
	return tab;
}

const details = (page) => page.getByText('Details: process, upload, totals, timeline');

export default async function timeline(test, {open, api, base}) {
	const {items} = await (await api('/runs')).json();
	const {id} = items.find((r) => r.launches === 5);
	const run = `/runs/${id}`;

	await test('Perfetto gets every byte of the timeline, its name and a link back', async () => {
		const page = await open(run);
		await details(page).click();
		await played(page, UI);
		await seen(async () => assert.match(await page.locator('#perfetto-hint').innerText(), /ui\.perfetto\.dev.*not sent to any server/));
		const tab = await opened(page);
		await tab.waitForFunction(() => window.got);
		const got = await tab.evaluate(() => ({...window.got, buffer: [...new Uint8Array(window.got.buffer)]}));
		const want = Buffer.from(await (await api(`${run}/timeline`)).arrayBuffer());
		assert.equal(sha256(Buffer.from(got.buffer)), sha256(want));
		assert.ok(want.includes('alpha'));
		assert.deepEqual({...got, buffer: null}, {buffer: null, origin: base, title: items.find((r) => r.id === id).name,
			fileName: `run-${id}.trace.json`, url: base + run});
		await page.getByText('opened', {exact: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 0));
	});

	await test('a tab that is closed too early: a message, and another try succeeds', async () => {
		const page = await open(run);
		await details(page).click();
		await played(page, '<title>Perfetto</title>');
		const tab = await opened(page);
		// Chromium ignores the close of a tab that navigates.
		await tab.waitForFunction(() => document.title === 'Perfetto');
		await tab.close();
		await seen(async () => assert.equal(await page.getByRole('alert').innerText(),
			'Failed: the tab with the Perfetto UI was closed before the trace was sent'));
		await page.context().unroute('https://ui.perfetto.dev/**');
		await played(page, UI);
		const [second] = await Promise.all([page.context().waitForEvent('page'),
			page.getByRole('button', {name: 'Try again'}).click()]);
		await second.waitForFunction(() => window.got);
	});

	await test('a trace that cannot be fetched closes the tab, with a message', async () => {
		const page = await open(run, {allowed: /503/});
		await details(page).click();
		await played(page, UI);
		let tabIsOpen;
		const isOpen = new Promise((resolve) => { tabIsOpen = resolve; });
		await page.route('**/timeline', async (route) => {
			await isOpen; /* a tab that closes before it was reported as open is never reported */
			await route.fulfill({status: 503,
				body: '{"error": {"code": "unavailable", "message": "the database is away"}}'});
		});
		await opened(page);
		tabIsOpen();
		await page.getByText('the database is away').waitFor();
		await seen(async () => assert.equal(page.context().pages().length, 1));
	});

	await test('Chrome trace and capture as files', async () => {
		const page = await open(run);
		await details(page).click();
		for (const [link, what, name] of [['Chrome trace', 'timeline', `run-${id}.trace.json`],
			['Capture file (.kst)', 'capture', `run-${id}.kst`]]) {
			const [download] = await Promise.all([page.waitForEvent('download'),
				page.getByRole('link', {name: link}).click()]);
			assert.equal(download.suggestedFilename(), name);
			const want = Buffer.from(await (await api(`${run}/${what}`)).arrayBuffer());
			assert.ok(want.length > 100);
			await seen(async () => assert.equal(sha256(fs.readFileSync(await download.path())), sha256(want)));
		}
	});
}
