// uploads.mjs - uploads files by drop and by button.
//
// Each upload ends as done, with its runs, or with an error and a button.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {data, seen} from './world.mjs';

const text = (name) => fs.readFileSync(data(name), 'utf8');
const card = (page, name) => page.getByRole('listitem').filter({hasText: name});
const stateOf = (page, name, state) => card(page, name).locator('.state', {hasText: state}).waitFor();

// Drops files on the zone like a browser: with a DataTransfer.
async function drop(page, files) {
	const transfer = await page.evaluateHandle((list) => {
		const t = new DataTransfer();
		for (const [name, body] of list)
			t.items.add(new File([body], name));
		return t;
	}, files);
	await page.dispatchEvent('.drop', 'dragover', {dataTransfer: transfer});
	await seen(async () => assert.equal(await page.locator('.drop.over').count(), 1, 'the zone shows that it would take them'));
	await page.dispatchEvent('.drop', 'drop', {dataTransfer: transfer});
	await seen(async () => assert.equal(await page.locator('.drop.over').count(), 0));
}

// Limits the upload rate in bytes per second.
async function slowly(page, rate) {
	const devtools = await page.context().newCDPSession(page);
	await devtools.send('Network.enable');
	await devtools.send('Network.emulateNetworkConditions',
		{offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: rate});
}

// Returns a trace of 3,000 kernels with different names, 5 µs each. It has filler, so that
// sending the file needs many packets.
export function manyKernels() {
	const traceEvents = Array.from({length: 3000}, (_, i) => ({ph: 'X', cat: 'kernel',
		name: `kernel_${String(i).padStart(4, '0')}`, pid: 0, tid: 7, ts: 100 + 10 * i, dur: 5,
		args: {device: 0, stream: 7, correlation: i + 1, grid: [i + 1, 1, 1], block: [128, 1, 1],
			'filler': 'x'.repeat(1000)}}));
	return JSON.stringify({schemaVersion: 1, deviceProperties: [{id: 0, name: 'NVIDIA H100 80GB HBM3'}],
		traceEvents});
}

export default async function uploads(test, {open, api}) {
	await test('two files dropped at once: both become runs, with project and labels', async () => {
		const page = await open('/uploads');
		await page.getByLabel('Project').fill('demo');
		await page.getByLabel('Workload').fill('two devices');
		await page.getByLabel('Labels').fill('branch=main, gpu=h100');
		await drop(page, [['two-devices.json', text('two-devices.json')], ['cut-short.json', text('cut-short.json')]]);
		await stateOf(page, 'two-devices.json', 'done: 1 run');
		await stateOf(page, 'cut-short.json', 'done: 1 run');
		await seen(async () => assert.match(await page.locator('#news').innerText(), /^(two-devices|cut-short)\.json: done: 1 run$/));
		const {items} = await (await api('/uploads')).json();
		assert.deepEqual(items.map((u) => [u.file_name, u.project, u.workload, u.labels, u.state]).sort(), [
			['cut-short.json', 'demo', 'two devices', {branch: 'main', gpu: 'h100'}, 'done'],
			['two-devices.json', 'demo', 'two devices', {branch: 'main', gpu: 'h100'}, 'done']]);
		await card(page, 'two-devices.json').getByRole('link', {name: /^Run #/}).click();
		await page.locator('.crumbs').waitFor();
	});

	await test('a large file chosen with the button: progress only grows, and ends with done', async () => {
		const page = await open('/uploads');
		await slowly(page, 2e6);
		await page.evaluate(() => {
			window.seen = [];
			new MutationObserver(() => {
				const bar = document.querySelector('.card progress');
				const state = document.querySelector('.card .state');
				if (bar && state)
					window.seen.push([state.textContent, bar.position]);
			}).observe(document.querySelector('.cards'), {subtree: true, childList: true, attributes: true});
		});
		await page.setInputFiles('#files', {name: 'many.json', mimeType: 'application/json',
			buffer: Buffer.from(manyKernels())});
		await stateOf(page, 'many.json', 'done: 1 run');
		const states = await page.evaluate(() => window.seen);
		const sent = states.filter(([state]) => state.startsWith('sending')).map(([, at]) => at);
		assert.ok(sent.length > 1, JSON.stringify(states));
		assert.deepEqual(sent, [...sent].sort((a, b) => a - b));
		await seen(async () => assert.ok(await card(page, 'many.json').locator('progress').isHidden()));
		const row = page.getByRole('table', {name: 'Uploads'}).getByRole('row').filter({hasText: 'many.json'});
		await row.getByText('done', {exact: true}).waitFor();
	});

	await test('the same file again is recognized', async () => {
		const page = await open('/uploads');
		await page.getByLabel('Project').fill('demo');
		await page.getByLabel('Workload').fill('two devices');
		await page.getByLabel('Labels').fill('gpu=h100,branch=main');
		await page.setInputFiles('#files', data('two-devices.json'));
		await stateOf(page, 'two-devices.json', 'already uploaded: 1 run');
	});

	await test('an image is rejected with the server\'s message, and without a retry', async () => {
		const page = await open('/uploads', {allowed: /415/});
		const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
		await page.setInputFiles('#files', {name: 'picture.png', mimeType: 'image/png', buffer: png});
		await stateOf(page, 'picture.png', 'failed');
		const message = await card(page, 'picture.png').locator('.sentence').innerText();
		assert.match(message, /PNG/);
		assert.equal(await card(page, 'picture.png').getByRole('button').count(), 0);
	});

	await test('a file that the network lost can be sent again', async () => {
		const page = await open('/uploads', {allowed: /ERR_FAILED/});
		await page.getByLabel('Project').fill('demo');
		await page.getByLabel('Workload').fill('two devices');
		await page.getByLabel('Labels').fill('gpu=h100,branch=main');
		await page.route(/\/api\/v1\/uploads\?/, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
		await page.setInputFiles('#files', data('two-devices.json'));
		await stateOf(page, 'two-devices.json', 'failed');
		await page.unroute(/\/api\/v1\/uploads\?/);
		await card(page, 'two-devices.json').getByRole('button', {name: 'Retry two-devices.json'}).click();
		await stateOf(page, 'two-devices.json', 'already uploaded: 1 run');
	});

	await test('an upload that fails during ingest shows its error, and a retry button after an upgrade', async () => {
		const page = await open('/uploads');
		await page.setInputFiles('#files', {name: 'no-events.json', mimeType: 'application/json',
			buffer: Buffer.from('{"traceEvents": []}')});
		await stateOf(page, 'no-events.json', 'failed');
		const {items: [upload]} = await (await api('/uploads?state=failed')).json();
		assert.equal(upload.file_name, 'no-events.json');
		assert.match(upload.error, /^the list of events is empty/);
		await seen(async () => assert.equal(await card(page, 'no-events.json').locator('.sentence').innerText(), upload.error));

		assert.equal(upload.retryable, false);
		assert.equal(await card(page, 'no-events.json').getByRole('button').count(), 0);

		// As an earlier version of the server would have left it.
		execFileSync('psql', ['-Xqc', `UPDATE upload SET unreadable_by = '0.0.9' WHERE id = ${upload.id}`]);
		await page.reload();
		const row = page.getByRole('table', {name: 'Uploads'}).getByRole('row').filter({hasText: 'no-events.json'});
		await seen(async () => assert.equal(await row.locator('.sentence').innerText(), upload.error));
		const again = page.waitForResponse((r) => r.url().endsWith(`/uploads/${upload.id}/retry`));
		await row.getByRole('button', {name: `Retry upload ${upload.id}`}).click();
		await seen(async () => assert.equal((await again).status(), 202));
		await row.locator('.state', {hasText: 'failed'}).waitFor();
		await seen(async () => assert.equal(await row.getByRole('button').count(), 0));
	});

	await test('invalid labels stop the upload, with a message', async () => {
		const page = await open('/uploads');
		await page.getByLabel('Labels').fill('branch=main, nonsense');
		await page.setInputFiles('#files', data('two-devices.json'));
		await seen(async () => assert.equal(await page.locator('.wrong').first().innerText(),
			'Nothing was sent: label \'nonsense\' is not of the form key=value.'));
		await seen(async () => assert.equal(await page.locator('.card').count(), 0));
		await seen(async () => assert.ok(await page.getByLabel('Labels').evaluate((input) => input === document.activeElement)));
	});

	await test('the list by state and page by page', async () => {
		const page = await open('/uploads?limit=2');
		await seen(async () => assert.equal(await page.locator('tbody tr').count(), 2));
		await page.getByRole('link', {name: 'Next page'}).click();
		await page.getByRole('link', {name: 'First page'}).waitFor();
		await page.getByLabel('State').selectOption('failed');
		await page.waitForURL(/state=failed/);
		await page.locator('tbody .state').first().waitFor();
		await seen(async () => assert.deepEqual(await page.locator('tbody .state').allInnerTexts(), ['failed']));
	});
}
