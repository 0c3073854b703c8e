// compare_row.js - what opens beneath a function: its full name, what its change
// is made of and rests on, and its cycles on both sides as charts.

import * as api from '../api.js';
import {chart} from '../chart.js';
import {inOrder} from '../chart_cycles.js';
import {CLASSES, EVIDENCE, intervalTitle} from '../compared.js';
import {facts, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure} from '../news.js';
import {axisUnit} from '../scale.js';
import {table} from '../table.js';

const SIDES = [['base', 'Base'], ['head', 'Head']];

const floorText = (r) => (r.floor === null ? null : `${f.count(r.floor * 100, 1)} % between runs, ${({default: 'the default',
	learnt: 'learnt from stored repeats', given: 'as given'})[r.floor_from] ?? r.floor_from}`
	+ (r.floor_df === null ? '' : `, ${f.count(r.floor_df, 1)} degrees of freedom`));

function numbers(r) {
	const beyond = r.beyond_common_ns_per_cycle;
	const made = r.by_count_ns_per_cycle === null || r.by_duration_ns_per_cycle === null ? null
		: `${f.signedDuration(r.by_count_ns_per_cycle)} by the number of launches, `
			+ `${f.signedDuration(r.by_duration_ns_per_cycle)} by how long each takes`;
	const list = facts([
		['Name', h('code', {class: 'full'}, r.function)],
		['Kind', r.type],
		['Class', r.verdict && `${r.verdict}: ${CLASSES[r.verdict]?.what}`],
		['Rests on', EVIDENCE[r.evidence]],
		['Change', `${f.signedDuration(r.delta_ns_per_cycle)} per cycle${r.ratio === null ? '' : `, ${f.changeOf(r.ratio)}`}`],
		['Made of', made],
		['Beyond common', beyond === null || beyond === r.delta_ns_per_cycle ? null : f.signedDuration(beyond)],
		['Interval', r.low_ns_per_cycle === null ? null : intervalTitle(r)],
		['p alone', r.p === null ? null : f.probability(r.p)],
		['Run floor', floorText(r)],
	]);
	list.classList.add('in-columns');
	return list;
}

function resources(r) {
	if (!r.resources?.length)
		return null;
	const columns = [{label: 'Counter', head: true, cell: (x) => x.name},
		{label: 'Base', num: true, cell: (x) => f.number(x.base_mu)},
		{label: 'Head', num: true, cell: (x) => f.number(x.head_mu)}];
	return h('div', {class: 'callers'}, h('h3', {}, 'Counters beside it'),
		table({caption: `Counters beside ${r.short_name || r.function}`, columns, rows: r.resources}).node);
}

const points = (side, key) => side[key].map((value, i) => ({value, run: side.runs[i], number: side.numbers[i], i}));
const tell = (text) => (side, p) => `${side.label}, run #${p.run}, cycle ${p.number}: ${text(p.value)}`;
const percent = (p) => `${f.count(p, 3)} %`;

function charts(r, answer) {
	const name = r.short_name || r.function;
	const sides = (key, mean) => SIDES.map(([side, label]) => ({label, class: side, points: points(answer[side], key),
		lines: [{value: r[`${side}_${mean}`] ?? NaN}]}));
	const rows = SIDES.flatMap(([side, label]) => points(answer[side], 'ns').map((p) => ({...p, side: label,
		launches: answer[side].launches[p.i], beta: answer[side].beta_pct[p.i], cycle: answer[side].cycle_ns[p.i]})));
	const unit = axisUnit(rows.reduce((n, p) => Math.max(n, p.value ?? 0), 0));
	const columns = [{label: 'Side', head: true, cell: (p) => p.side}, {label: 'Run', num: true, cell: (p) => `#${p.run}`},
		{label: 'Cycle', num: true, cell: (p) => f.plain(p.number)},
		{label: 'Time', unit, num: true, cell: (p) => f.inUnit(p.value, unit), title: (p) => f.exact(p.value)},
		{label: 'β', unit: '%', num: true, cell: (p) => (p.beta === null ? f.NONE : f.count(p.beta, 3))},
		{label: 'Launches', num: true, cell: (p) => f.number(p.launches)},
		{label: 'Cycle time', num: true, cell: (p) => f.duration(p.cycle), title: (p) => f.exact(p.cycle)}];
	const one = (caption, draw) => chart({caption, columns, rows, draw, hint: 'Each dot is a cycle, the line is the mean.',
		label: `${caption}, ${name}: ${SIDES.map(([side]) => `${f.plural(answer[side].ns.length, 'cycle')} of the ${side}`).join(', ')}`});
	return h('div', {class: 'beside'},
		one('Time per cycle', inOrder(sides('ns', 'ns_per_cycle'), {tell: tell(f.duration)})),
		one('β, share of the cycle', inOrder(sides('beta_pct', 'beta_pct'), {unit: '%', tell: tell(percent)})));
}

// The detail of the table of functions. `view` names the one whose row the
// address opens; chosen() is the last one opened that still is.
export function rowDetail(doc, words, view, at, changed) {
	const open = new Set();
	const loaded = new Map();
	const linked = () => doc.items.find((r) => r.function === view.function && (r.device ?? '') === view.device);

	async function load(r, place) {
		place.replaceChildren(h('p', {class: 'loading'}, 'Loading its cycles…'));
		try {
			const {range} = words;
			const answer = await api.series({base: words.base, head: words.head, range, function: r.function, device: r.device}, at.signal);
			place.replaceChildren(charts(r, answer));
		} catch (error) {
			loaded.delete(r);
			if (at.signal.aborted)
				return;
			place.replaceChildren(h('p', {class: 'quiet'}, 'Its cycles could not be loaded.'));
			showFailure(error, () => load(r, place));
		}
	}

	function fill(r, place) {
		if (!loaded.has(r)) {
			const charted = h('div');
			loaded.set(r, charted);
			load(r, charted);
		}
		place.append(numbers(r), resources(r) ?? '', loaded.get(r));
	}

	const chosen = () => {
		const r = [...open].at(-1);
		return {function: r?.function ?? '', device: r?.device ?? ''};
	};
	if (linked())
		open.add(linked());
	return {open, fill, changed, chosen, linked, name: (r) => r.short_name || r.function};
}
