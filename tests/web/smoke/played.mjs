// played.mjs - runs steps in order with one server and one browser.
//
// Each step continues with the state of the previous steps.

import test from 'node:test';
import {newWorld} from './world.mjs';

export const played = (what, steps) => test(what, async (t) => {
	const world = await newWorld();
	try {
		for (const step of steps)
			await step(async (name, hold) => t.test(name, async () => {
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
