// all.mjs - one server, one browser, and the steps in reading order: each goes
// on from what the ones before it have uploaded.

import test from 'node:test';
import first from './first.mjs';
import graphs from './graphs.mjs';
import keyboard from './keyboard.mjs';
import launches from './launches.mjs';
import looks from './looks.mjs';
import run from './run.mjs';
import runs from './runs.mjs';
import timeline from './timeline.mjs';
import tokens from './tokens.mjs';
import uploads from './uploads.mjs';
import {newWorld} from './world.mjs';

test('the page', async (t) => {
	const world = await newWorld();
	try {
		for (const step of [first, uploads, runs, run, keyboard, timeline, launches, graphs, tokens, looks])
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
