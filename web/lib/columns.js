// columns.js - what the tables of a run share: a column of times with the
// exact nanoseconds behind it, a share with its bar, the links to the same
// table as a file.

import * as api from './api.js';
import {h} from './dom.js';
import * as f from './format.js';
import {missingDetail} from './run_content.js';

// `key` is the word in the address and the API's field without its _ns; `why`
// is said of a value that is not known.
export function timeColumn(label, key, unit, why = 'unknown') {
	const value = (r) => r[`${key}_ns`];
	return {
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value,
		cell: (r) => f.inUnit(value(r), unit),
		title: (r) => (value(r) === null ? why : f.exact(value(r))),
	};
}

// The unit for a column of such values: the one of a typical row.
export function typicalUnit(values) {
	const known = values.filter((v) => v !== null).sort((a, b) => a - b);
	return f.columnUnit(known[known.length >> 1] ?? 0);
}

export const largestUnit = (values) => f.columnUnit(values.reduce((most, v) => Math.max(most, v ?? 0), 0));

export const SPREAD = [
	['Avg', 'avg'],
	['Med', 'med'],
	['Min', 'min'],
	['Max', 'max'],
	['StdDev', 'stddev'],
	['p90', 'p90'],
	['p99', 'p99'],
];

export function share(percent) {
	return h('span', {class: 'share', style: {'--share': `${percent ?? 0}%`}}, f.percent(percent));
}

const SOURCES = [
	['defined in', 'defined_in'],
	['launched from', 'launched_from'],
	['told by the table', 'told'],
];

// Where a kernel's source is, as far as anybody knows: a line each, the first
// `most` of them; null where nobody does.
export function sourceLines(source, most = SOURCES.length) {
	const lines = SOURCES.filter(([, key]) => source?.[key])
		.slice(0, most)
		.map(([how, key]) =>
			h('div', {class: 'source'}, h('span', {class: 'quiet'}, `${how} `), h('code', {}, source[key])),
		);
	return lines.length ? lines : null;
}

const NAMES = {csv: 'CSV', md: 'Markdown'};

export const fileLink = (text, href, name) => h('a', {href, download: name}, text);

export const exportLink = (id, table, format, query) =>
	fileLink(
		NAMES[format],
		api.tableFile(id, table, format, query),
		`run-${id}-${table}${query.by ? `-by-${query.by}` : ''}.${format}`,
	);

// Short, beside a name or above a table.
export const contentMark = (run) => (missingDetail(run) ? h('span', {class: 'mark'}, missingDetail(run).mark) : null);
