// run_content.js - what a run's numbers rest on, and so what they cannot tell. Pure.

import * as f from './format.js';

const KINDS = {
	statistics: {
		mark: 'statistics only',
		sentence:
			'These are the numbers of a table that somebody computed; it holds no single launches. ' +
			'Percentiles, busy time, span, overlap, launch latency and callers are unknown and shown as –.',
	},
	patterns: {
		mark: 'patterns only',
		sentence:
			'These numbers come from shares and means per cycle that somebody computed; there are no single ' +
			'launches. Medians, percentiles, busy time, span, overlap, launch latency and callers are unknown ' +
			'and shown as –.',
	},
};

// Of a run without launches: {mark, sentence}; null of any other.
export const missingDetail = (run) => KINDS[run.content] ?? null;

// The titles of a dash: why a number of this run is not known.
export const unknownTitle = (run) => {
	const kind = missingDetail(run);
	return kind ? `unknown: ${kind.mark}` : 'unknown';
};

// "30 + 10 graph replays": a replay recorded whole is no launch of a kernel.
export function launchCount(run) {
	const own = f.count(run.launches);
	return run.graphs > 0 ? `${own} + ${f.plural(run.graphs, 'graph replay')}` : own;
}

// How much of the run's recorded GPU time is in replays without kernels, in
// percent; null where there are none.
export function opaqueShare(run) {
	const sum = (run.kernel_ns ?? 0) + (run.graph_ns ?? 0);
	return run.graphs > 0 && sum > 0 ? (run.graph_ns * 100) / sum : null;
}
