// accessible.mjs - checks a view in light, in dark and at 320 pixels.
//
// axe-core must have no findings, and the page must not scroll sideways. Stores a screenshot
// of each for review.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const {source} = createRequire(import.meta.url)('axe-core');
const CONTRAST = 'color-contrast';

async function accessible(page, what, options) {
	if (!await page.evaluate(() => 'axe' in window))
		await page.evaluate(source);
	const {violations, passes} = await page.evaluate((rules) => window.axe.run(document, rules), options);
	assert.ok(passes.length > 0, 'axe-core looked');
	assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes[0].html}`), [], what);
}

async function narrowEnough(page, what) {
	const wide = await page.evaluate(() =>
		[document.documentElement.scrollWidth, document.documentElement.clientWidth]);
	assert.ok(wide[0] <= wide[1], `${what} is ${wide[0]} wide in ${wide[1]}`);
}

// A page is checked in three states. Only colors differ between light and dark, so dark is
// checked for contrast only; narrow is checked for all other rules.
const SIGHTS = [
	['light', {}, null, {}],
	['dark', {colorScheme: 'dark'}, null, {runOnly: [CONTRAST]}],
	['narrow', {colorScheme: 'light', reducedMotion: 'reduce'}, {width: 320, height: 720}, {rules: {[CONTRAST]: {enabled: false}}}],
];

export async function looked(page, shots, name) {
	for (const [sight, media, size, rules] of SIGHTS) {
		await page.emulateMedia(media);
		if (size)
			await page.setViewportSize(size);
		await narrowEnough(page, `${name}, ${sight}`);
		const file = path.join(shots, `${name}-${sight}.png`);
		await page.screenshot({path: file, fullPage: true});
		assert.ok(fs.statSync(file).size > 5000);
		await accessible(page, `${name}, ${sight}`, rules);
	}
}
