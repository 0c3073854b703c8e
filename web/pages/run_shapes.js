// run_shapes.js - what opens beneath an operator of a run: what its time was
// known from, and its shapes; beneath the unattributed one, its kernels.

import * as api from '../api.js';
import {facts, h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';
import {showFailure} from '../news.js';
import {sorted, table} from '../table.js';
import {aiColumn, countColumn, knownList, regimeColumn, sColumns, textColumn} from './operator_columns.js';
import {kernelList} from './operator_kernels.js';
import {exportLink, share, timeColumn, typicalUnit} from './run_columns.js';

const LIMIT = 500;
const MOST = 5000;
const LONG = 60;
const SPREAD = [['Avg', 'avg'], ['Med', 'med'], ['Min', 'min'], ['Max', 'max'], ['p90', 'p90'], ['p99', 'p99']];

function columns(rows) {
	const each = typicalUnit(rows.map((r) => r.med_ns ?? r.avg_ns));
	const why = (r) => r.why ?? 'unknown';
	return [
		{label: 'Shape', head: true, class: 'shape', up: 'name', down: '-name', cell: (r) => o.shapeName(r), value: (r) => o.shapeName(r)},
		{label: 'Time', unit: '%', num: true, class: 'time', down: 'time', up: '-time', cell: (r) => share(r.time_pct), value: (r) => r.time_pct},
		countColumn('Calls', 'calls'), countColumn('Launches', 'launches'),
		...SPREAD.slice(0, 2).map(([label, key]) => timeColumn(label, key, each)),
		{...timeColumn('T_SOL', 'sol', each), title: (r) => (r.sol_ns === null ? why(r) : `the least a call can take: ${f.exact(r.sol_ns)}`)},
		...sColumns(), regimeColumn(), aiColumn(),
		{label: 'W', num: true, down: 'w', up: '-w', value: o.flopsOf, cell: (r) => o.amount(o.flopsOf(r), 'FLOP'),
			title: (r) => (r.flops ? Object.entries(r.flops).map(([d, n]) => `${d} ${f.count(n)}`).join(', ') || 'no floating-point work' : why(r))},
		{label: 'Q', num: true, down: 'q', up: '-q', value: o.bytesOf, cell: (r) => o.amount(o.bytesOf(r), 'B'),
			title: (r) => (o.bytesOf(r) === null ? why(r) : `reads ${f.count(r.read_bytes)}, writes ${f.count(r.write_bytes)} bytes`)},
		{...textColumn('Known from', 'known'), title: (r) => o.KNOWN[r.known] ?? null},
		...SPREAD.slice(2).map(([label, key]) => timeColumn(label, key, each)),
	];
}

// Sentences about shapes whose cost is not known, each once.
function reasons(rows) {
	const list = [...new Set(rows.map((r) => r.why).filter(Boolean))];
	return list.length ? h('ul', {class: 'alone quiet'}, list.slice(0, 5).map((why) => h('li', {}, `No bound: ${why}.`))) : null;
}

function about(row) {
	return facts([
		['What', row.what], ['Group', row.group], ['Known from', knownList(row)],
		['Waits for ranks', row.collective ? 'yes: its time includes waiting, so it has no headroom' : null],
		['S above 1', row.over_ns ? `${f.duration(row.over_ns)} of its time: the cost model is wrong there, or data was in a cache` : null],
		['Compute-bound', row.compute_pct === null || row.compute_pct === undefined ? null : `${o.shareOfPercent(row.compute_pct)} of the time with a bound`],
	]);
}

// A row's shapes, and whether there may be more. What has no type or phase
// cannot be asked for alone: pages of all are read until LIMIT are its own.
export async function shapesOf(row, ask) {
	const items = [];
	const limit = row.dtype && row.phase ? LIMIT : MOST;
	let cursor = null;
	do {
		const page = await ask({dtype: row.dtype, phase: row.phase, limit, cursor});
		items.push(...page.items.filter((r) => r.dtype === row.dtype && r.phase === row.phase));
		cursor = page.next;
	} while (cursor !== null && items.length < LIMIT);
	return {items: items.slice(0, LIMIT).map(o.held), more: cursor !== null || items.length > LIMIT};
}

export function shapeDetail(run, doc, against, opened, at, changed) {
	// A row is an operator, a type and a phase.
	const word = (r) => [o.nameOf(r), r.dtype, r.phase].filter(Boolean).join(':');
	const open = new Set(doc.items.filter((r) => opened.includes(word(r))));
	const loaded = new Map();

	async function load(row, place) {
		try {
			if (row.operator === null) {
				place.replaceChildren(kernelList((await api.runUnattributed(run.id, {limit: LIMIT}, at.signal)).items));
				return;
			}
			const {items, more} = await shapesOf(row, (words) => api.runShapes(run.id, row.operator, {against, ...words}, at.signal));
			const all = columns(items);
			const shown = table({caption: `Shapes of ${row.operator}`, columns: all, rows: items, tall: items.length > LONG, empty: 'No shape of it is stored.',
				onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort})});
			place.replaceChildren(shown.node, reasons(items) ?? '', h('p', {class: 'links'}, more ? `The ${LIMIT} shapes with most time; all of them as ` : 'As ',
				...['csv', 'md'].flatMap((format) => [exportLink(run.id, `operators/${encodeURIComponent(row.operator)}/shapes`, format, {against}), ' '])));
		} catch (error) {
			if (at.signal.aborted)
				return;
			place.replaceChildren(h('p', {class: 'sentence'}, error.message));
			showFailure(error, () => load(row, place));
		}
	}

	function fill(row, place) {
		if (!loaded.has(row)) {
			const list = h('div', {class: 'shapes part'}, h('p', {class: 'loading'}, 'Loading…'));
			loaded.set(row, list);
			load(row, list);
		}
		place.append(about(row), loaded.get(row));
	}

	return {open, fill, changed, name: o.nameOf, chosen: () => [...open].map(word).join(',')};
}
