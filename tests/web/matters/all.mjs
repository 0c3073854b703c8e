// all.mjs - what matters, a run's operators, the catalogue: one server, one browser.

import test from 'node:test';
import {newWorld} from '../smoke/world.mjs';
import catalogue from './catalogue.mjs';
import fleet from './fleet.mjs';
import looks from './looks.mjs';
import run from './run.mjs';
import sets from './sets.mjs';

test('what matters', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [sets, fleet, run, catalogue, looks])
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
