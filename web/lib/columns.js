// columns.js - columns that several tables of a run use: times with exact nanoseconds in the title,
// shares with a bar, and links to the table as a file.

import * as api from './api.js';
import {h} from './dom.js';
import * as f from './format.js';
import {missingDetail} from './run_content.js';

// A field of a row. If the row lacks the field, this is an error in the page; null means that the
// value is unknown.
function field(row, name) {
	if (row[name] === undefined) throw new TypeError(`the row has no field '${name}'`);
	return row[name];
}

// `key` is the sort key in the address and the API's field without _ns; `reason` is the title
// of an unknown value.
export function timeColumn(label, key, unit, reason = 'unknown') {
	const value = (r) => field(r, `${key}_ns`);
	return {
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value,
		cell: (r) => f.inUnit(value(r), unit),
		title: (r) => (value(r) === null ? reason : f.exact(value(r))),
	};
}

// The unit for a column of these values: the unit of the median value.
export function typicalUnit(values) {
	const known = values.filter((v) => v !== null).sort((a, b) => a - b);
	return f.columnUnit(known[known.length >> 1] ?? 0);
}

export const largestUnit = (values) => f.columnUnit(values.reduce((max, v) => Math.max(max, v ?? 0), 0));

export const SPREAD = [
	['Avg', 'mean'],
	['Med', 'median'],
	['Min', 'min'],
	['Max', 'max'],
	['StdDev', 'stddev'],
	['p90', 'p90'],
	['p99', 'p99'],
	['IQR', 'iqr'],
];

export function share(percent) {
	return h('span', {class: 'share', style: {'--share': `${percent ?? 0}%`}}, f.percent(percent));
}

const SOURCES = [
	['defined in', 'defined_in'],
	['launched from', 'launched_from'],
	['given by the table', 'table_path'],
];

// A kernel's source, one line per origin, at most `maxLines` lines; null if unknown.
export function sourceLines(source, maxLines = SOURCES.length) {
	const lines = SOURCES.filter(([, key]) => source?.[key])
		.slice(0, maxLines)
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

// A short mark next to a name or above a table.
export const contentMark = (run) => (missingDetail(run) ? h('span', {class: 'mark'}, missingDetail(run).mark) : null);
