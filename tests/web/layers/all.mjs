// all.mjs - layers of a run, kernels launched together, runs side by side: one
// server, one browser.

import test from 'node:test';
import {newWorld} from '../smoke/world.mjs';
import beside from './beside.mjs';
import looks from './looks.mjs';
import real from './real.mjs';
import run from './run.mjs';

test('layers', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [run, beside, real, looks])
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
