// job.test.mjs - tests the sentence about the ranks of a job.

import assert from 'node:assert/strict';
import test from 'node:test';
import {sentence} from '../../web/pages/job.js';

const rank = (number, compute_ns, straggler = false) => ({rank: number, run: number + 1, compute_ns, straggler});
// [case, ranks, sentence]
const JOBS = [
	['one rank', [rank(0, 5)], '1 rank: waiting and transfer cannot be separated with a single rank'],
	['equal ranks', [rank(0, 5), rank(1, 5)], '2 ranks: no rank computes significantly longer than the others'],
	['two slow ranks', [rank(0, 9, true), rank(1, 5), rank(2, 9, true), rank(3, 5)],
		'4 ranks: the others wait for rank 0 and rank 2, which compute longer than the median rank'],
	['collectives alone are recorded', [rank(0, null), rank(1, null)],
		'2 ranks: their compute times are unknown, and with them whether a rank computes longer than the others'],
	['only one rank records its kernels', [rank(0, 5), rank(1, null)],
		'2 ranks: their compute times are unknown, and with them whether a rank computes longer than the others'],
];
for (const [what, ranks, want] of JOBS)
	test(`sentence: ${what}`, () => assert.equal(sentence({ranks}), want));
