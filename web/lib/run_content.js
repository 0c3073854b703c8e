// run_content.js - explains what the dashboard cannot show for a run without single launches, or
// without their starts. Pure.

import * as f from './format.js';

const TABLE = {
	timeline: 'This run has no timeline, because it has no single launches.',
	callers: 'Callers are unknown, because this run has no single launches.',
	latency: 'Launch latency is unknown, because this run has no single launches.',
};
const KINDS = {
	statistics: {
		...TABLE,
		mark: 'statistics only',
		sentence:
			'These numbers come from a table of statistics; the run has no single launches. ' +
			'Percentiles, busy time, span, overlap, launch latency and callers are unknown and shown as –.',
	},
	patterns: {
		...TABLE,
		mark: 'patterns only',
		sentence:
			'These numbers come from a table of shares and means per iteration; the run has no single ' +
			'launches. Medians, percentiles, busy time, span, overlap, launch latency and callers are unknown ' +
			'and shown as –.',
	},
	durations: {
		mark: 'durations only',
		sentence:
			'These calls were recorded without starts. Durations, sizes and bandwidths are measured. ' +
			'Span, busy time, idle time, overlap, order and iterations are unknown and shown as –.',
		timeline: 'This run has no timeline, because its calls have no starts.',
		callers: 'Callers are unknown, because this run has only calls without starts.',
		latency: 'Launch latency is unknown, because this run has only calls without starts.',
	},
};

// For a run without launches, or without their starts: {mark, sentence, and the reasons why it
// has no timeline, callers and latency}; null for any other.
export const missingDetail = (run) => KINDS[run.content] ?? null;

// The title of a dash: why a number of this run is unknown.
export const unknownTitle = (run) => {
	const kind = missingDetail(run);
	return kind ? `unknown: ${kind.mark}` : 'unknown';
};

// "30 + 10 graph replays": a replay recorded as one piece is not a kernel launch.
export function launchCount(run) {
	const own = f.count(run.launches);
	return run.graphs > 0 ? `${own} + ${f.plural(run.graphs, 'graph replay')}` : own;
}

// The share of a run's GPU time in replays without kernels, in percent; null if there are none.
export function opaqueShare(run) {
	const sum = (run.kernel_ns ?? 0) + (run.graph_ns ?? 0);
	return run.graphs > 0 && sum > 0 ? (run.graph_ns * 100) / sum : null;
}
