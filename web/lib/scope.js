// scope.js - the scope: project, workload and time range, which stay while the user moves from page
// to page. Links of the navigation carry it; pages that do not filter by a part of it ignore it.
// Pure.

import {query} from './format.js';

const ALL = ['project', 'workload', 'since', 'until'];
// The parts that each page filters by. Pages that are missing here filter by none.
const PARTS = {
	'/': ALL,
	'/runs': ALL,
	'/importance': ALL,
	'/gates': ALL,
	'/devices': ALL,
	'/trends': ALL,
	'/jobs': ['project'],
};

// On the trends page a workload without a project is one of the runs that have no project.
function partsOf(path, has) {
	const parts = PARTS[path] ?? [];
	return path === '/trends' && !has('project') ? parts.filter((name) => name !== 'workload') : parts;
}

// The scope after the page at `path` was opened with the parameters `params`. Parts that the page
// does not filter by stay, except the workload of another project.
export function scopeAfter(scope, path, params) {
	const next = {...scope};
	const parts = partsOf(path, (name) => params.get(name));
	for (const name of parts) next[name] = params.get(name) ?? '';
	if (!parts.includes('workload') && (next.project ?? '') !== (scope.project ?? '')) next.workload = '';
	return next;
}

// The address of a page with the parts of the scope that it filters by, and with `more` parameters.
export function scopedUrl(path, scope, more = {}) {
	const params = new URLSearchParams();
	for (const name of partsOf(path, (part) => scope[part])) if (scope[name]) params.set(name, scope[name]);
	for (const [key, value] of Object.entries(more)) if (value) params.set(key, value);
	return params.size ? `${path}?${query(params)}` : path;
}

const dayText = (text) => text.replace(/T00:00:00Z$/, '');

// The time range as a part of a sentence: "since 2026-11-01, until 2026-11-28"; empty if there is none.
export const rangeText = ({since, until}) =>
	[since && `since ${dayText(since)}`, until && `until ${dayText(until)}`].filter(Boolean).join(', ');

// The scope as a part of a sentence: "project chat, workload w, since 2026-11-01"; "all projects" if it
// has none. `more` are further filters, [name, value].
export function scopeText({project, workload, since, until}, more = []) {
	return [
		project ? `project ${project}` : 'all projects',
		workload ? `workload ${workload}` : '',
		...more.map(([name, value]) => (value ? `${name} ${value}` : '')),
		rangeText({since, until}),
	]
		.filter(Boolean)
		.join(', ');
}

// The list of the runs of a workload in a scope; null if its project or name is empty, because the list
// of runs cannot be filtered by this.
export const runsUrl = ({project, workload}, {since, until}) =>
	project && workload ? scopedUrl('/runs', {project, workload, since, until}) : null;
