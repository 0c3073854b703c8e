// all.mjs - the views of comparisons, cycles and jobs: one server, one browser.

import test from 'node:test';
import {newWorld} from '../smoke/world.mjs';
import flow from './flow.mjs';
import looks from './looks.mjs';
import views from './views.mjs';

test('comparisons', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [flow, views, looks])
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
