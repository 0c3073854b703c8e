// breakdown_changes.js - the changes of a breakdown comparison: its rows with the largest difference
// first, each with a bar per run. Small rows and extras are folded.

import * as b from './breakdown_compare.js';
import {h} from './dom.js';
import * as f from './format.js';
import {rolesOf} from './layer_cells.js';
import {kernelName, placeName} from './layers.js';
import {sorted, table} from './table.js';

const FIRST_ROWS = 50;
const letter = (i) => String.fromCharCode(65 + i);

function nameOf({line}) {
	const cut = (name) => [h('code', {class: 'cut', title: name}, name)];
	if (line.module) return cut(line.module);
	if (line.roles.length) return rolesOf(line.roles);
	const [row] = line.cells.filter(Boolean).flatMap((cell) => cell.rows);
	return row ? cut(kernelName(row)) : [f.NONE];
}

// "only B", "2 of 3" for a row that some runs lack.
function lackMark({present}) {
	const have = present.filter(Boolean).length;
	if (have === present.length) return null;
	return h('span', {class: 'mark'}, have === 1 ? `only ${letter(present.indexOf(true))}` : `${have} of ${present.length}`);
}

// On a narrow page, the times of the first run and of the one that differs most are below the name.
const narrowTimes = (r) =>
	[0, r.change.run ?? 1].map((i) => h('div', {class: 'narrow-only'}, `${letter(i)} ${f.duration(r.times[i])}`));

function roleCell(r) {
	return [
		...nameOf(r),
		lackMark(r),
		h('div', {class: 'quiet'}, [placeName(r.section, null), r.block].filter(Boolean).join(' · ')),
		...narrowTimes(r),
	].filter(Boolean);
}

// Two runs: the first to the left of a common axis, the second to the right. More: one bar below the
// other. The numbers are in other cells.
function bars(r, largest) {
	const width = (ns) => ({'--share': `${(100 * (ns ?? 0)) / largest}%`});
	if (r.times.length === 2)
		return h(
			'div',
			{class: 'mirrored', 'aria-hidden': 'true'},
			h('span', {class: 'left'}, h('span', {class: 'first', style: width(r.times[0])})),
			h('span', {}, h('span', {style: width(r.times[1])})),
		);
	return h(
		'div',
		{class: 'bar-list', 'aria-hidden': 'true'},
		r.times.map((ns, i) =>
			h('span', {class: 'run-bar'}, letter(i), h('span', {class: i ? null : 'first', style: width(ns)})),
		),
	);
}

const way = ({change}) => (change.ns > 0 ? 'slower' : change.ns < 0 ? 'faster' : null);

function changeColumns(doc, largest) {
	const time = (i) => ({
		label: letter(i),
		unit: 'µs',
		num: true,
		down: `run${i}`,
		up: `-run${i}`,
		value: (r) => r.times[i],
		cell: (r) => f.inUnit(r.times[i], 'µs', 1),
		title: (r) => (r.times[i] === null ? (r.present[i] ? 'unknown' : 'this run has no such row') : f.exact(r.times[i])),
	});
	const two = doc.runs.length === 2;
	const bar = {label: two ? 'A ◂ ▸ B' : 'Time', class: 'bars', cell: (r) => bars(r, largest)};
	const times = doc.runs.map((_, i) => time(i));
	return [
		{label: 'Role or module', head: true, class: 'role', cell: roleCell},
		{
			label: 'Δ',
			unit: 'µs',
			num: true,
			down: 'change',
			up: '-change',
			value: (r) => (r.change.ns === null ? null : Math.abs(r.change.ns)),
			cell: (r) => h('span', {class: way(r)}, f.signed(r.change.ns, 'µs', 1)),
			title: (r) =>
				r.change.ns === null ? 'unknown' : `${letter(r.change.run)} − A: ${r.change.ns} ns per iteration`,
		},
		{
			label: 'Δ',
			unit: '%',
			num: true,
			down: 'pct',
			up: '-pct',
			value: (r) => r.change.pct,
			cell: (r) => h('span', {class: way(r)}, b.percentOf(r.change.pct)),
			title: (r) => (r.change.pct === null ? 'the first run has no time in it' : `${r.change.pct} %`),
		},
		...(two ? [] : [{label: 'Run', cell: (r) => (r.change.run === null ? f.NONE : letter(r.change.run))}]),
		...(two ? [times[0], bar, times[1]] : [bar, ...times]),
	];
}

// A table of rows, of which the first are in the page until the user wants all.
function changesTable(doc, rows, caption, largest, empty) {
	const columns = changeColumns(doc, largest);
	const view = {sort: 'change', all: rows.length <= FIRST_ROWS};
	const more = h(
		'button',
		{
			type: 'button',
			class: 'fold-line',
			hidden: view.all,
			on: {
				click: () => {
					view.all = true;
					draw();
				},
			},
		},
		`Show ${f.plural(rows.length - FIRST_ROWS, 'more row')}`,
	);
	const list = () => {
		const inOrder = sorted(rows, columns, view.sort);
		return view.all ? inOrder : inOrder.slice(0, FIRST_ROWS);
	};
	const shown = table({
		caption,
		columns,
		rows: list(),
		sort: view.sort,
		empty,
		tall: rows.length > FIRST_ROWS,
		onsort: (sort) => {
			view.sort = sort;
			draw();
		},
	});
	function draw() {
		more.hidden = view.all;
		shown.update({rows: list(), sort: view.sort});
	}
	return h('div', {class: 'part changes'}, shown.node, more);
}

const percentText = (pct) => (pct > 0 && pct < 0.1 ? 'less than 0.1 %' : `${f.percent(pct)} %`);

// The section of the page.
export function changesSection(doc) {
	const rows = b.changesOf(doc);
	const largest = Math.max(1, ...rows.flatMap((r) => r.times.map((ns) => ns ?? 0)));
	const regular = rows.filter((r) => !r.extra);
	const parts = {
		shown: regular.filter((r) => !r.small),
		small: regular.filter((r) => r.small),
		extras: rows.filter((r) => r.extra),
	};
	// A folded table is made when it is opened: eight runs can have thousands of small rows.
	const folded = (list, text, caption) => {
		if (!list.length) return '';
		const details = h(
			'details',
			{
				on: {
					toggle: () => {
						if (details.open && details.childElementCount === 1)
							details.append(changesTable(doc, list, caption, largest));
					},
				},
			},
			h('summary', {}, text),
		);
		return details;
	};
	return h(
		'section',
		{'aria-labelledby': 'changes', class: 'part'},
		h('h2', {id: 'changes'}, 'Changes'),
		changesTable(doc, parts.shown, 'Changes', largest, 'No row has 1 % of the time.'),
		folded(
			parts.small,
			`${f.plural(parts.small.length, 'row')} below ${b.SMALL_PCT} % hidden: ${percentText(b.shareOfRows(parts.small))} of the time`,
			'Small changes',
		),
		folded(
			parts.extras,
			`${f.plural(parts.extras.length, 'extra')}, only in few layers: ${percentText(b.shareOfRows(parts.extras))} of the time`,
			'Changes of extras',
		),
		h(
			'p',
			{class: 'hint wide-text'},
			'Times are per iteration: the time per layer times the number of layers. ' +
				`Δ is the difference to run A${doc.runs.length > 2 ? ', of the run that differs most' : ''}; ` +
				'the largest is first. A run without a row has no time in it.',
		),
	);
}
