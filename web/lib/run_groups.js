// run_groups.js - groups of the list of runs, by commit or by job, in the order of their first
// runs. Pure.

export const GROUPINGS = [
	['', 'no groups'],
	['commit', 'commit'],
	['job', 'job'],
];

const KEY = {
	commit: (r) => r.git_commit ?? '',
	job: (r) => (r.job_id ? String(r.job_id) : ''),
};

// The mean of the known values; null: there are none.
export function meanOf(values) {
	const known = values.filter((v) => v !== null && v !== undefined);
	return known.length ? known.reduce((sum, v) => sum + v, 0) / known.length : null;
}

// [{key, name, runs, busy_ns, span_ns}]: `by` is a word of GROUPINGS, the times are means.
export function runGroups(runs, by) {
	const groups = new Map();
	for (const run of runs) {
		const key = KEY[by](run);
		groups.set(key, [...(groups.get(key) ?? []), run]);
	}
	return [...groups].map(([key, list]) => ({
		key,
		name: key === '' ? `no ${by}` : by === 'job' ? list[0].job || `job ${key}` : key,
		runs: list,
		busy_ns: meanOf(list.map((r) => r.busy_ns)),
		span_ns: meanOf(list.map((r) => r.span_ns)),
	}));
}
