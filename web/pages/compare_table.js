// compare_table.js - the functions of a comparison, filtered by class and text,
// sorted; all of it kept in the address. The unchanged ones are folded away.

import * as api from '../api.js';
import {both, CLASSES, EVIDENCE, wordOf} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {matching, sorted, table} from '../table.js';
import {badge, deltaColumn, intervalColumn, narrowDelta, sideColumn} from './compare_columns.js';
import {rowDetail} from './compare_row.js';
import {fileLink, typicalUnit} from './run_columns.js';

const ORDER = Object.keys(CLASSES);

function pairColumn(label, unit, key, text, exact) {
	const [base, head] = [`base_${key}`, `head_${key}`];
	return {label, unit, num: true, down: key, up: `-${key}`, value: (r) => r[head] ?? r[base],
		cell: (r) => both(r[base], r[head], text), title: (r) => `base ${exact(r[base])}, head ${exact(r[head])}`};
}

function probabilityColumn(label, key, what) {
	return {label, num: true, up: key, down: `-${key}`, value: (r) => r[key], cell: (r) => f.probability(r[key]),
		title: (r) => (r[key] === null ? 'unknown' : `${what}: ${r[key]}`)};
}

const device = (r) => (r.head_device && r.head_device !== r.device ? `${r.device} → ${r.head_device}` : r.device ?? f.NONE);

function columns(rows, full) {
	const unit = typicalUnit(rows.map((r) => Math.max(r.base_ns_per_cycle ?? 0, r.head_ns_per_cycle ?? 0)));
	const each = typicalUnit(rows.map((r) => r.head_mean_ns ?? r.base_mean_ns));
	return [
		{label: 'Class', up: 'class', down: '-class', cell: (r) => [badge(r.verdict), narrowDelta(r)],
			value: (r) => (r.verdict ? ORDER.indexOf(r.verdict) : null)},
		{label: 'Function', head: true, class: full ? 'kernel full' : 'kernel', up: 'name', down: '-name',
			title: (r) => (full ? null : r.function), value: (r) => r.function,
			cell: (r) => h('code', {}, full ? r.function : r.short_name || r.function)},
		{label: 'Device', up: 'on', down: '-on', cell: device, value: (r) => r.device},
		deltaColumn(unit), intervalColumn(rows, unit),
		sideColumn('Base', 'base', unit), sideColumn('Head', 'head', unit),
		pairColumn('Launches', null, 'launches_per_cycle', f.mean, f.plain),
		pairColumn('Mean launch', each, 'mean_ns', (ns) => f.inUnit(ns, each), f.exact),
		pairColumn('β', '%', 'beta_pct', (p) => (p === null ? f.NONE : f.count(p, 2)), (p) => (p === null ? 'unknown' : `${p} %`)),
		{label: 'Evidence', up: 'evidence', down: '-evidence', cell: (r) => (r.evidence === 'none' ? f.NONE : r.evidence),
			title: (r) => EVIDENCE[r.evidence], value: (r) => r.evidence},
		probabilityColumn('p family', 'p_family', 'probability that chance makes any row move so much'),
		probabilityColumn('q', 'q', 'false discovery rate'),
	];
}

function classFilter(doc, view, change) {
	const chips = ORDER.map((word) => h('label', {class: `chip ${word}`, title: CLASSES[word].what},
		h('input', {type: 'checkbox', checked: view.shown.has(word), disabled: !doc.counts[word], on: {change: (e) => {
			view.shown[e.target.checked ? 'add' : 'delete'](word);
			change();
		}}}), badge(word), ' ', f.count(doc.counts[word] ?? 0)));
	return {node: h('fieldset', {class: 'chips'}, h('legend', {class: 'unseen'}, 'Classes shown'), chips),
		redraw: () => chips.forEach((chip, i) => { chip.firstChild.checked = view.shown.has(ORDER[i]); })};
}

function downloads(words) {
	const name = `compare-${words.base}-${words.head}`.replace(/[^\w-]+/g, '_');
	return h('span', {class: 'links'}, ['json', 'csv', 'md'].map((format) => fileLink({json: 'JSON', csv: 'CSV', md: 'Markdown'}[format],
		api.compareFile(format, words), `${name}.${format}`)));
}

export function functionSection(doc, words, view, at) {
	const made = (full) => columns(doc.items, full);
	let all = made(view.full);
	let shown;
	// Where nothing is judged, no class hides a row.
	const seen = (r) => r.verdict === null || view.shown.has(r.verdict);
	const rows = () => sorted(matching(doc.items.filter(seen), view.q,
		(r) => `${r.function} ${r.device ?? ''} ${r.head_device ?? ''}`), all, view.sort || 'class');
	const place = h('div');
	const found = h('span', {class: 'quiet', role: 'status'});
	const detail = rowDetail(doc, words, view, at, () => save());
	const fold = h('button', {type: 'button', class: 'fold-line', on: {click: () => {
		view.shown[view.shown.has('unchanged') ? 'delete' : 'add']('unchanged');
		redraw();
	}}});
	const filter = h('input', {type: 'search', 'aria-label': 'Filter functions by name or device', value: view.q,
		placeholder: 'Filter by name or device', on: {input: (e) => { view.q = e.target.value.trim(); redraw(); }}});
	const names = h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: view.full, on: {change: (e) => {
		view.full = e.target.checked;
		rebuild();
	}}}), 'Full names');
	const classes = classFilter(doc, view, () => redraw());

	function save() {
		at.keep({show: wordOf(view.shown), q: view.q, sort: view.sort === 'class' ? '' : view.sort, cycles: view.cycles,
			names: view.full ? 'full' : '', ...detail.chosen()});
	}

	function redraw() {
		const list = rows();
		shown.update({rows: list, sort: view.sort || 'class'});
		found.textContent = list.length === doc.items.length ? f.plural(list.length, 'function')
			: `${f.count(list.length)} of ${f.plural(doc.items.length, 'function')}`;
		classes.redraw();
		fold.hidden = !doc.comparable || !doc.counts.unchanged;
		fold.textContent = view.shown.has('unchanged') ? 'Fold the unchanged ones away'
			: `Show ${f.plural(doc.counts.unchanged, 'unchanged function')}`;
		save();
	}

	function rebuild() {
		all = made(view.full);
		shown = table({caption: 'Functions', columns: all, rows: [], sort: view.sort || 'class', tall: true, detail,
			empty: doc.items.length ? 'No function of these classes has this in its name or device.'
				: 'There is no function to compare.',
			onsort: (sort) => { view.sort = sort; redraw(); }});
		place.replaceChildren(shown.node);
		redraw();
	}

	// Brings a row into sight, opened, whatever hid it.
	function show(row) {
		if (!seen(row) || !rows().includes(row)) {
			view.shown.add(row.verdict);
			filter.value = view.q = '';
		}
		detail.open.add(row);
		redraw();
		shown.reveal(row).querySelector('.open').focus();
	}

	rebuild();
	const linked = detail.linked();
	if (linked)
		setTimeout(() => at.signal.aborted || show(linked));
	return {save, show, node: h('section', {'aria-labelledby': 'functions'}, h('div', {class: 'toolbar'},
		h('h2', {id: 'functions'}, 'Functions'), filter, names, found, downloads(words)),
	doc.comparable ? classes.node : '', place, fold)};
}
