// all.mjs - trends and gates: one server, one browser.

import test from 'node:test';
import {newWorld} from '../smoke/world.mjs';
import gates from './gates.mjs';
import looks from './looks.mjs';
import real from './real.mjs';
import trends from './trends.mjs';

test('history', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [trends, gates, real, looks])
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
