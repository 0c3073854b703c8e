// looks.mjs - every page in light, in dark and at 320 pixels: nothing for
// axe-core to object to, nothing that scrolls sideways, and a screenshot to be
// looked at.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {data} from './world.mjs';

const {source} = createRequire(import.meta.url)('axe-core');

const SIGHTS = [
	['light', {colorScheme: 'light'}],
	['dark', {colorScheme: 'dark'}],
	['narrow', {colorScheme: 'light', viewport: {width: 320, height: 720}, reducedMotion: 'reduce'}],
];

async function accessible(page, what) {
	await page.evaluate(source);
	const {violations, passes} = await page.evaluate(() => window.axe.run(document));
	assert.ok(passes.length > 10, 'axe-core looked');
	assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes[0].html}`), [], what);
}

export default async function looks(test, {open, api, shots}) {
	const {items} = await (await api('/runs')).json();
	const id = (launches) => items.find((r) => r.launches === launches).id;
	const cards = async (page) => {
		await page.setInputFiles('#files', [['two-devices.json', fs.readFileSync(data('two-devices.json'))],
			['empty.json', Buffer.alloc(0)]].map(([file, buffer]) =>
			({name: file, mimeType: 'application/json', buffer})));
		await page.locator('.card .state.failed').waitFor();
		await page.locator('.card .state.done').waitFor();
	};
	// name, address, what is done first, console lines that are to be expected
	const views = [
		['runs', '/runs'],
		['runs-none', '/runs?q=no-such-thing'],
		['run', `/runs/${id(5)}`],
		['run-many', `/runs/${id(3000)}?by=grid&unit=ns`],
		['run-full-names', `/runs/${id(5)}?by=device&names=full`],
		['run-cut-short', `/runs/${id(1)}`],
		['uploads', '/uploads', cards, /40\d|415/],
		['failure', '/runs/999999', null, /404/],
		['nowhere', '/nowhere'],
	];

	for (const [sight, options] of SIGHTS)
		for (const [name, where, act, allowed] of views)
			await test(`${name}, ${sight}`, async () => {
				const page = await open(where, {...options, allowed});
				await act?.(page);
				const wide = await page.evaluate(() =>
					[document.documentElement.scrollWidth, document.documentElement.clientWidth]);
				assert.ok(wide[0] <= wide[1], `the page is ${wide[0]} wide in ${wide[1]}`);
				const file = path.join(shots, `${name}-${sight}.png`);
				await page.screenshot({path: file, fullPage: true});
				assert.ok(fs.statSync(file).size > 5000);
				await accessible(page, `${name}, ${sight}`);
			});
}
