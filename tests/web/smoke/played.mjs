// played.mjs - runs steps in order with one server and one browser.
//
// Each step continues with the state of the previous steps.

import test from 'node:test';
import {newWorld} from './world.mjs';

const faultOf = (work) => work().then(() => null, (fault) => fault);

// Prints the failures again at the end: a log that is shortened in the middle still has them.
function printAgain(failures) {
	for (const {name, fault} of failures)
		console.error(`failed: ${name}: ${fault.stack ?? fault}`);
}

export const played = (what, steps) => test(what, async (t) => {
	const failures = [];
	const world = await newWorld();
	try {
		for (const step of steps)
			await step((name, hold) => t.test(name, async () => {
				const fault = await faultOf(hold);
				const loud = await faultOf(world.silent); /* closes the pages in any case */
				if (!fault && !loud)
					return;
				failures.push({name, fault: fault ?? loud});
				throw fault ?? loud;
			}), world);
	} finally {
		await world.end();
		process.on('exit', () => printAgain(failures));
	}
});
