// run_kernel_detail.js - what opens beneath a kernel's row: its full name, its
// source, and who launched it.

import {lacking} from '../content.js';
import {facts, h} from '../dom.js';
import {callerList} from './run_callers.js';
import {sourceLines} from './run_columns.js';

// The detail of a table of kernels. `linked` is the kernel whose row the
// address opens; chosen() is the last one opened that still is, for the address.
export function kernelDetail(run, rows, linked, at, changed) {
	const open = new Set();
	const callers = new Map();

	// Of other rows than before, the first of that kernel.
	function follow(list, id) {
		const row = list.find((r) => String(r.id) === id);
		open.clear();
		if (row)
			open.add(row);
	}

	function launchedBy(row) {
		if (lacking(run))
			return h('p', {class: 'quiet'}, 'Who launched it is unknown, because there are no single launches.');
		if (!callers.has(row))
			callers.set(row, callerList(run, row, at));
		return callers.get(row).show();
	}

	function fill(row, place) {
		place.append(facts([
			['Name', h('code', {class: 'full'}, row.name)],
			['Family', row.family],
			['Source', sourceLines(row.source)],
			['Known from', row.source?.known_from],
		]), launchedBy(row));
	}

	const chosen = () => String([...open].at(-1)?.id ?? '');
	follow(rows, linked);
	return {
		open, fill, changed, chosen,
		name: (r) => r.short_name || r.name,
		follow: (list) => follow(list, chosen()),
	};
}
