// diagnosis.js - the causes of a run's time, and the words of the card that shows them. Pure.

import * as f from './format.js';

// By the cause's word in the API, in its order.
export const CAUSES = {
	compute_bound: {
		label: 'Busy: compute-bound',
		description: 'A kernel runs whose roofline bound is the compute time.',
	},
	memory_bound: {
		label: 'Busy: memory-bound',
		description: 'A kernel runs whose roofline bound is the memory time.',
	},
	no_bound: {
		label: 'Busy: no known bound',
		description: 'A kernel runs whose sizes, cost or platform is unknown.',
	},
	launch_floor: {
		label: 'Busy: launch floor',
		description: 'A kernel runs that takes no longer than an empty launch.',
	},
	compute: {
		label: 'Busy: compute',
		description: 'A kernel runs that is not a collective. The run was analyzed before its bound was found.',
	},
	exposed_communication: {
		label: 'Busy: exposed communication',
		description: 'A collective runs while nothing computes.',
	},
	copies: {label: 'Busy: copies', description: 'A copy or a set runs while no kernel runs.'},
	synchronization: {
		label: 'Idle: synchronization',
		description: 'Before the next launch begins, the host waits for the GPU in a synchronizing call.',
	},
	copy_wait: {
		label: 'Idle: copy wait',
		description: 'Before the next launch begins, the host is inside a blocking copy.',
	},
	host_gap: {
		label: 'Idle: host gap',
		description: 'Before the next launch begins, the host does other work.',
	},
	launch_bound: {
		label: 'Idle: launch-bound',
		description: 'The API call that launches the next work runs.',
	},
	graph_launch: {
		label: 'Idle: inside a graph launch',
		description: 'The next work was launched, and is of the same graph launch as the work before.',
	},
	stream_dependency: {
		label: 'Idle: stream dependency',
		description: 'The next work was launched earlier, and waited for another stream or device.',
	},
	unknown: {
		label: 'Idle: unknown',
		description:
			'Anything else, such as the time that a GPU needs to start a kernel; all idle time if the trace has no ' +
			'API calls.',
	},
};

// The name of the tab or page that a link shows; `tabs` has the labels by id.
export function linkLabel(link, tabs) {
	const tab = new URLSearchParams(link.replace(/^[^?]*|#.*$/g, '')).get('tab');
	return tabs[tab] ?? (link.startsWith('/jobs/') ? 'Ranks of the job' : 'Show');
}

// "12 iterations, mean 10.000 ms: the GPU is busy 32.2 % and idle 67.8 % of the time."
export function headline(doc) {
	const wall = doc.busy_ns + doc.idle_ns;
	const pct = (ns) => `${f.percent(wall > 0 ? (100 * ns) / wall : null)} %`;
	return (
		`${f.plural(doc.iterations, 'iteration')}${doc.iterations === 1 ? ' of' : ', mean'} ` +
		`${f.duration(wall / doc.iterations)}: ` +
		`the GPU is busy ${pct(doc.busy_ns)} and idle ${pct(doc.idle_ns)} of the time.`
	);
}

// "host gap: before the next launch begins, the host does other work."
export function causeText(cause) {
	const {label, description} = CAUSES[cause] ?? {label: cause, description: ''};
	const rest = description && `: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
	return `${label.replace('Idle: ', '')}${rest || '.'}`;
}

// Whether the trace says why the GPU is idle: the share of the idle time with a recorded cause, the
// largest of these causes, and the share without. Null if there is no idle time, or if the causes are
// unknown for another reason, which the document has.
export function idleText(doc) {
	if (doc.reason || !(doc.idle_ns > 0)) return null;
	const idle = withTime(doc.causes).filter((c) => c.kind === 'idle');
	const known = idle.filter((c) => c.cause !== 'unknown');
	const unknown = idle.find((c) => c.cause === 'unknown')?.time_ns ?? 0;
	const part = (ns) => `${f.percent((100 * ns) / doc.idle_ns)} %`;
	const time = (ns) => `${f.duration(ns / doc.iterations)}${doc.iterations === 1 ? '' : ' per iteration'}`;
	const rest = unknown ? `${part(unknown)} of the idle time (${time(unknown)})` : '';
	if (!known.length) return unknown ? `The trace records no cause for ${rest}.` : null;
	const [largest] = known;
	if (unknown > doc.idle_ns / 2)
		return (
			`The trace records no cause for ${rest}. ` +
			`The largest cause that it records (${time(largest.time_ns)}) is ${causeText(largest.cause)}`
		);
	return (
		`The trace records the cause of ${part(doc.idle_ns - unknown)} of the idle time. ` +
		`The largest (${time(largest.time_ns)}) is ${causeText(largest.cause)}` +
		(unknown ? ` It records none for ${rest}.` : '')
	);
}

// Why the trace records no cause of a gap.
export function noCauseText(gap) {
	if (!gap.after) return 'no recorded work follows it';
	return gap.call
		? 'the API call that launched the next work had returned, and the trace does not record what the GPU waited for'
		: 'the trace has no API call that launched the next work';
}

// The causes that have time, most time first.
export const withTime = (causes) => causes.filter((c) => c.time_ns > 0).sort((a, b) => b.time_ns - a.time_ns);

// What the bar of the mean iteration shows: computing, communication and copies, then each cause of
// idle time; {part, label, time_ns, share_pct}. `part` is a part of an iteration in comparisons.
// A share that prints as 0.0 % is not drawn.
const SHOWN_PCT = 0.05;
const BUSY_PARTS = {exposed_communication: 'communication', copies: 'copies'};
const BUSY_LABELS = {compute: 'Compute', communication: 'Communication', copies: 'Copies'};
export function splitParts(doc) {
	const parts = Object.entries(BUSY_LABELS).map(([part, label]) => {
		const of = doc.causes.filter((c) => c.kind === 'busy' && (BUSY_PARTS[c.cause] ?? 'compute') === part);
		const sum = (key) => of.reduce((all, c) => all + (c[key] ?? 0), 0);
		return {part, label, time_ns: sum('time_ns'), share_pct: sum('share_pct')};
	});
	const idle = doc.causes
		.filter((c) => c.kind === 'idle')
		.sort((a, b) => b.time_ns - a.time_ns)
		.map((c) => ({
			part: 'idle',
			cause: c.cause,
			label: CAUSES[c.cause]?.label ?? `Idle: ${c.cause}`,
			time_ns: c.time_ns,
			share_pct: c.share_pct,
		}));
	return [...parts, ...idle].filter((p) => p.share_pct >= SHOWN_PCT);
}
