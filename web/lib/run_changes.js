// run_changes.js - changes of runs: what a form changes, how a change is undone, and what a change of
// many runs did; pure.

import * as f from './format.js';

const same = (a, b) => {
	const keys = Object.keys(a);
	return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
};

// Labels of [key, value] rows; rows without a key and a value are empty rows of the form. Throws an
// Error with a sentence if a key is missing or occurs twice.
export function labelsOf(rows) {
	const out = new Map();
	for (const [key, value] of rows) {
		const name = key.trim();
		if (!name && !value.trim()) continue;
		if (!name) throw new Error(`the label with the value '${value.trim()}' has no key`);
		if (out.has(name)) throw new Error(`the label '${name}' occurs twice`);
		out.set(name, value.trim());
	}
	// unlike assignment, this stores a key such as __proto__
	return Object.fromEntries(out);
}

// The keys in a text with commas.
export const keysOf = (text) => text.split(',').map((key) => key.trim()).filter(Boolean);

export function mergedLabels(labels, added, removed) {
	const rest = Object.entries(labels).filter(([key]) => !removed.includes(key));
	return Object.fromEntries([...rest, ...Object.entries(added)]);
}

// The fields of `wanted` that the run does not have yet, as a change, or null if there are none:
// {id, after, before}.
export function changeOf(run, wanted) {
	const differs = ([key, value]) => (key === 'labels' ? !same(run.labels, value) : run[key] !== value);
	const after = Object.entries(wanted).filter(differs);
	if (!after.length) return null;
	const before = Object.fromEntries(after.map(([key]) => [key, run[key]]));
	return {id: run.id, before, after: Object.fromEntries(after)};
}

// The server makes the change only if the run still has the values before it.
export const requestOf = ({before, after}) => ({...after, expected: before});

export const undoOf = (changes) => changes.map(({id, before, after}) => ({id, before: after, after: before}));

// Whether the other runs would fail too: no answer, another token needed, or the server cannot
// answer now.
const stops = ({status}) => !status || status === 401 || status === 403 || status >= 500;

// Calls act(item) for one item after the other; a result of null says that nothing was to be done.
// Returns what was done, what failed, and how many items were not tried. onProgress gets the number
// of items tried so far.
export async function forEachRun(items, act, {signal, onProgress} = {}) {
	const out = {done: [], failed: [], unchanged: 0, left: 0};
	for (const [i, item] of items.entries()) {
		if (signal?.aborted) return {...out, left: items.length - i};
		try {
			const result = await act(item);
			if (result === null) out.unchanged++;
			else out.done.push(result);
		} catch (error) {
			if (error.name === 'AbortError') return {...out, left: items.length - i};
			out.failed.push({item, error});
			if (stops(error)) return {...out, left: items.length - i - 1};
		}
		onProgress?.(i + 1);
	}
	return out;
}

// Failures whose sentences are listed; the others are counted.
const LISTED = 3;

// One sentence per outcome: "3 runs changed." `verb` is "changed" or "deleted".
export function outcome({done, failed, unchanged, left}, verb) {
	const reasons = failed.slice(0, LISTED).map(({error}) => `${f.capital(error.message)}.`);
	return [
		`${f.plural(done.length, 'run')} ${verb}.`,
		unchanged ? `${f.plural(unchanged, 'run')} had these values already.` : '',
		failed.length ? `${f.plural(failed.length, 'run')} could not be ${verb}.` : '',
		...reasons,
		failed.length > LISTED ? `${f.count(failed.length - LISTED)} more failed.` : '',
		left ? `${f.plural(left, 'run')} ${left === 1 ? 'was' : 'were'} not tried.` : '',
	]
		.filter(Boolean)
		.join(' ');
}
