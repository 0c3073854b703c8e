// share.mjs - copies links, Markdown and charts; with a clipboard, without one, and if the server
// fails.

import assert from 'node:assert/strict';
import {data, seen, upload} from './world.mjs';

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const click = (page, name) => page.getByRole('button', {name}).first().click();
const withoutClipboard = (page) =>
	page.evaluate(() => Object.defineProperty(navigator, 'clipboard', {value: undefined}));

// The size of the PNG in the clipboard, and how many colors its pixels have.
const picture = (page) => page.evaluate(async () => {
	const [item] = await navigator.clipboard.read();
	const bitmap = await createImageBitmap(await item.getType('image/png'));
	const ctx = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
	ctx.drawImage(bitmap, 0, 0);
	const pixels = new Uint32Array(ctx.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
	return {width: bitmap.width, height: bitmap.height, colors: new Set(pixels).size};
});

export default async function share(test, world) {
	const {base, api, open} = world;
	const permissions = {permissions: ['clipboard-read', 'clipboard-write']};
	const runs = [];
	for (const file of ['callers.json', 'two-devices.json'])
		runs.push(await upload(world, data(file), '&project=share'));
	const ids = runs.map((path) => path.split('/').at(-1));
	const gate = await (await fetch(`${base}/api/v1/gates`, {method: 'POST', body: JSON.stringify({base: ids[0], head: ids[1]})})).json();

	const pages = [
		['run', runs[0], `## 🔍 [Run ${ids[0]}](<${base}/runs/${ids[0]}>): `],
		['comparison', `/compare?base=${ids[0]}&head=${ids[1]}`, `[Comparison](<${base}/compare?base=${ids[0]}&head=${ids[1]}>): `],
		['gate', `/gates/${gate.id}`, `[Gate](<${base}/gates/${gate.id}>): `],
		['importance', '/importance?project=share', `## 📊 [Importance](<${base}/importance?project=share`],
	];
	for (const [what, where, start] of pages)
		await test(`the link and the Markdown of a ${what} are copied`, async () => {
			const page = await open(where, permissions);
			await click(page, 'Copy link');
			await seen(async () => assert.equal(await clipboard(page), page.url()));
			assert.equal(await page.locator('#news').textContent(), 'Link copied.');
			await click(page, 'Copy as Markdown');
			await seen(async () => assert.ok((await clipboard(page)).slice(0, 200).includes(start), await clipboard(page)));
			assert.ok((await clipboard(page)).startsWith('## '));
		});

	await test('the link of a comparison of a query has the numbers of its runs', async () => {
		const query = new URLSearchParams({base: 'project=share last=1', head: ids[1], seed: '2'});
		const page = await open(`/compare?${query}`, permissions);
		await click(page, 'Copy link');
		await seen(async () => assert.deepEqual(Object.fromEntries(new URL(await clipboard(page)).searchParams),
			{base: ids[0], head: ids[1], seed: '2'}));
	});

	await test('without a clipboard the text is shown and selected', async () => {
		const page = await open(runs[0]);
		await withoutClipboard(page);
		await click(page, 'Copy as Markdown');
		const box = page.getByRole('textbox', {name: 'Markdown'});
		await box.waitFor();
		const selected = await box.evaluate((e) => e.value.slice(e.selectionStart, e.selectionEnd));
		assert.equal(selected, await (await api(`/runs/${ids[0]}/diagnosis?format=md&site=${base}`)).text());
		await click(page, 'Copy link');
		await seen(async () => assert.equal(await page.getByRole('textbox', {name: 'Link'}).inputValue(), page.url()));
	});

	await test('a server that fails is named, and the page stays', async () => {
		const page = await open(runs[0], {allowed: /503/});
		await page.route(/diagnosis\?format=md/, (route) =>
			route.fulfill({status: 503, json: {error: {code: 'busy', message: 'the database is away'}}}));
		await click(page, 'Copy as Markdown');
		await seen(async () => assert.equal(await page.locator('.share-controls [role=alert]').innerText(),
			'The Markdown is unavailable: the database is away.'));
		assert.ok(await page.getByRole('heading', {level: 1}).isVisible());
	});

	for (const colorScheme of ['light', 'dark'])
		await test(`a chart is copied as an image, ${colorScheme}`, async () => {
			const page = await open(`/compare?base=${ids[0]}&head=${ids[1]}`, {...permissions, colorScheme});
			const drawn = page.locator('figure.chart svg.drawing').first();
			await drawn.locator('.ring').waitFor({state: 'attached'}); /* it has its height once it is drawn */
			await page.waitForLoadState('networkidle');
			await click(page, /^Copy image/);
			await seen(async () => assert.equal(await page.locator('#news').textContent(), 'Image copied.'));
			const box = await drawn.boundingBox();
			const {width, height, colors} = await picture(page);
			// two pixels per CSS pixel, 12 of margin, 28 of caption
			assert.ok(Math.abs(width - 2 * (box.width + 24)) <= 2, `${width} of ${box.width}`);
			assert.ok(Math.abs(height - 2 * (box.height + 52)) <= 2, `${height} of ${box.height}`);
			assert.ok(colors > 20, `${colors} colors`);
		});

	await test('without a clipboard a chart is downloaded', async () => {
		const page = await open(`/compare?base=${ids[0]}&head=${ids[1]}`);
		await page.locator('figure.chart svg.drawing .ring').first().waitFor({state: 'attached'});
		await withoutClipboard(page);
		const [download] = await Promise.all([page.waitForEvent('download'), click(page, /^Copy image/)]);
		assert.match(download.suggestedFilename(), /^\w+\.png$/);
	});
}
