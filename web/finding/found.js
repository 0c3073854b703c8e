// found.js - the groups of a search answer: what each match is called and where it is shown. Pure.

import * as f from '../lib/format.js';
import {query} from '../lib/format.js';

const address = (path, params) => `${path}?${query(new URLSearchParams(params))}`;
const of = (project, workload) => [project, workload].filter(Boolean).join(' / ');

// A group: its key in the answer, its heading, and what a match shows: its name, a line about it,
// and its address.
const GROUPS = [
	[
		'runs',
		'Runs',
		(r) => [
			r.name || `run ${r.id}`,
			[`#${r.id}`, of(r.project, r.workload), r.commit && `commit ${r.commit}`, r.host].filter(Boolean).join(' · '),
			`/runs/${r.id}`,
		],
	],
	[
		'jobs',
		'Jobs',
		(j) => [
			j.name || (j.upload ? `ranks of upload ${j.upload}` : `job ${j.id}`),
			[`#${j.id}`, j.project].filter(Boolean).join(' · '),
			`/jobs/${j.id}`,
		],
	],
	[
		'workloads',
		'Workloads',
		(w) => [
			of(w.project, w.workload) || 'runs without project and workload',
			f.plural(w.runs, 'run'),
			address('/trends', {project: w.project, workload: w.workload}),
		],
	],
	[
		'commits',
		'Commits',
		(c) => [
			c.commit,
			[c.project, f.plural(c.runs, 'run')].filter(Boolean).join(' · '),
			address('/runs', {...(c.project && {project: c.project}), label: `commit=${c.commit}`}),
		],
	],
	[
		'kernels',
		'Kernels',
		(k) => [
			k.distinct_name,
			[`newest in run ${k.run}`, of(k.project, k.workload), k.name === k.distinct_name ? '' : k.name].filter(Boolean).join(' · '),
			address(`/runs/${k.run}`, {tab: 'kernels', kernel: k.kernel}),
		],
	],
	['operators', 'Operators', (o) => [o.operator, o.description ?? '', address('/importance', {open: o.operator})]],
];

// The groups that have matches: {name, count: "5 of 12", items: [{name, about, href}]}.
export function foundGroups(doc) {
	return GROUPS.filter(([key]) => doc[key].length).map(([key, name, show]) => {
		const total = doc[`${key}_total`];
		const more = doc[`${key}_more`];
		const shown = doc[key].length;
		return {
			name,
			count: more ? `${shown} of more than ${f.count(total)}` : shown < total ? `${shown} of ${f.count(total)}` : f.count(total),
			all: !more && shown >= total,
			items: doc[key].map((row) => {
				const [name, about, href] = show(row);
				return {name, about, href};
			}),
		};
	});
}

// "12 matches: 3 runs, 9 kernels".
export function foundSentence(doc) {
	const parts = GROUPS.filter(([key]) => doc[key].length).map(
		([key, name]) => [doc[`${key}_total`], name.toLowerCase().replace(/s$/, ''), doc[`${key}_more`]],
	);
	if (!parts.length) return 'Nothing matches.';
	return `${parts.map(([n, word, more]) => `${more ? 'more than ' : ''}${f.plural(n, word)}`).join(', ')}.`;
}
