// api_history.js - the server's addresses for workloads, trends and gates; it is
// api.js that asks.

import {address, ask} from './api.js';

const json = async (where, options) => (await ask(where, options)).json();

export const trend = (words, signal) => json(address('/trends', words), {signal});
export const trendFile = (words) => address('/trends', {...words, format: 'csv'});

export const workloads = (query, signal) => json(address('/workloads', query), {signal});

// The names that the newest run of a workload has for `kind`, operator or kernel.
export async function namesOf(kind, {project, workload}, signal) {
	const {items: [run]} = await json(address('/runs', {project, workload, sort: 'newest', limit: 1}), {signal});
	if (!run)
		return [];
	const {items} = await json(address(`/runs/${run.id}/${kind}s`, kind === 'kernel' ? {limit: 300} : {}), {signal});
	return items.map((r) => (kind === 'kernel' ? r.name : r.operator)).filter(Boolean);
}

// The runs that a query of words finds, newest first.
export const found = (words, signal) => json(address('/runs', words), {signal});

export {run} from './api.js';

export const gates = (query, signal) => json(address('/gates', query), {signal});
export const gate = (id, signal) => json(address(`/gates/${id}`), {signal});
export const askGate = (question) => json(address('/gates'), {method: 'POST', body: JSON.stringify(question)});
// Links in a pull request are whole.
export const gateFile = (id, format) => address(`/gates/${id}`, {format, site: format === 'md' ? location.origin : null});
export const badge = (words) => address('/badge', words);
