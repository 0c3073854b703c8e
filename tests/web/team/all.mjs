// all.mjs - signing in, and the settings: one server, one browser.

import test from 'node:test';
import {newWorld} from '../smoke/world.mjs';
import looks from './looks.mjs';
import settings from './settings.mjs';
import signing from './signing.mjs';

test('who may do what', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [signing, settings, looks])
			await step(async (what, hold) => t.test(what, async () => {
				try {
					await hold();
				} finally {
					await world.silent();
				}
			}), world);
	} finally {
		await world.end();
	}
});
