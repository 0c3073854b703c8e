// run_kernels.js - the kernel table of a run: split, sorted, filtered, short or
// full names, readable units or nanoseconds, a row open to its callers, all of
// it kept in the address; and the same view as CSV or Markdown from the server.

import * as api from '../api.js';
import {unknown} from '../content.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {matching, sorted, table} from '../table.js';
import {kernelDetail} from './run_kernel_detail.js';
import {exportLink, largestUnit, share, sourceLines, SPREAD, timeColumn, typicalUnit} from './run_columns.js';

const SPLITS = [['', 'All devices together'], ['device', 'By device'], ['grid', 'By grid and block']];
// The words that the server sorts by too; the others are this page's own.
const SERVER = /^-?(total|instances|avg|med|min|max|stddev|p90|p99|name)$/;

function splitColumns(by) {
	const number = (xyz) => xyz && xyz.reduce((n, d) => n * 65536 + d, 0);
	if (by === 'device')
		return [{label: 'Device', num: true, up: 'device', down: '-device',
			cell: (r) => f.count(r.device), value: (r) => r.device}];
	if (by === 'grid')
		return ['grid', 'block'].map((key) => ({label: key === 'grid' ? 'Grid' : 'Block', num: true,
			down: key, up: `-${key}`, class: 'dims', cell: (r) => f.dims(r[key]), value: (r) => number(r[key])}));
	return [];
}

// All columns for these rows. Who a kernel is stands first: its name, what it
// is split by, its family.
function columns(run, rows, {by, full, ns}) {
	const each = ns ? 'ns' : typicalUnit(rows.map((r) => r.med_ns ?? r.avg_ns));
	const sum = ns ? 'ns' : largestUnit(rows.map((r) => r.total_ns));
	const why = unknown(run);
	return [
		{label: 'Kernel', head: true, class: full ? 'kernel full' : 'kernel', up: 'name', down: '-name',
			cell: (r) => h('code', {}, full ? r.name : r.short_name || r.name),
			title: (r) => (full ? null : r.name), value: (r) => r.name},
		...splitColumns(by),
		{label: 'Family', class: 'family', up: 'family', down: '-family', cell: (r) => r.family ?? f.NONE,
			title: (r) => (r.family ? null : 'no rule knows this name'), value: (r) => r.family},
		{label: 'Operator', class: 'family', up: 'operator', down: '-operator', cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE),
			title: (r) => (r.operator ? null : 'not known: unattributed'), value: (r) => r.operator ?? null},
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (r) => share(r.time_pct),
			title: (r) => (r.time_pct === null ? why : null)},
		timeColumn('Total', 'total', sum, why),
		{label: 'Instances', num: true, down: 'instances', up: '-instances',
			cell: (r) => f.count(r.instances), value: (r) => r.instances},
		...SPREAD.map(([label, key]) => timeColumn(label, key, each, why)),
		{label: 'Source', class: 'sources', cell: (r) => sourceLines(r.source, 1) ?? f.NONE,
			title: (r) => (r.source ? null : 'unknown')},
	];
}

const checkbox = (label, checked, change) => h('label', {class: 'check'},
	h('input', {type: 'checkbox', checked, on: {change: (e) => change(e.target.checked)}}), label);

function splitChoice(by, change) {
	return h('fieldset', {class: 'choice'}, h('legend', {}, 'Split'),
		SPLITS.map(([value, label]) => h('label', {}, h('input', {type: 'radio', name: 'by', value,
			checked: value === by, on: {change: () => change(value)}}), h('span', {}, label))));
}

export async function kernelTab(run, query, at) {
	const view = {by: query.get('by') ?? '', sort: query.get('sort') ?? 'total', q: query.get('q') ?? '',
		full: query.get('names') === 'full', ns: query.get('unit') === 'ns'};
	const load = () => api.kernels(run.id, {by: view.by}, {signal: at.signal,
		told: (n) => tell(`${f.plural(n, 'row')} loaded`)});
	let all = await load();
	let shown;

	const place = h('div');
	const links = h('span', {class: 'links'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const detail = kernelDetail(run, all, query.get('kernel'), at, () => save());
	const rows = () => sorted(matching(all, view.q, (r) => r.name), columns(run, all, view), view.sort);

	function save() {
		at.keep({by: view.by, sort: view.sort === 'total' ? '' : view.sort, q: view.q,
			names: view.full ? 'full' : '', unit: view.ns ? 'ns' : '', kernel: detail.chosen()});
		const sort = SERVER.test(view.sort) ? view.sort : '';
		links.replaceChildren(...['csv', 'md'].map((format) =>
			exportLink(run.id, 'kernels', format, {by: view.by, sort, q: view.q})));
	}

	function nothing() {
		if (all.length)
			return 'No kernel has this in its name.';
		return run.kernels && view.by ? 'The file does not tell its kernels apart by that.' : 'This run has no kernels.';
	}

	function count(list) {
		found.textContent = list.length === all.length ? f.plural(all.length, 'row')
			: `${f.count(list.length)} of ${f.plural(all.length, 'row')}`;
	}

	// The heads change: a new table. Otherwise only its rows do.
	function rebuild() {
		const list = rows();
		shown = table({caption: 'Kernel statistics', columns: columns(run, all, view), rows: list, sort: view.sort,
			tall: true, empty: nothing(),
			onsort: (sort) => change({sort}), detail});
		place.replaceChildren(shown.node);
		count(list);
		save();
	}

	function change(next) {
		Object.assign(view, next);
		const list = rows();
		shown.update({rows: list, sort: view.sort});
		count(list);
		save();
	}

	async function split(by) {
		const before = view.by;
		place.setAttribute('aria-busy', 'true');
		view.by = by;
		try {
			all = await load();
			detail.follow(all);
			rebuild();
		} catch (error) {
			view.by = before;
			if (!at.signal.aborted)
				showFailure(error, () => split(by));
		}
		place.removeAttribute('aria-busy');
	}

	rebuild();
	// Once the page is there: a link to a kernel leads to its row.
	const linked = rows().find((r) => String(r.id) === detail.chosen());
	if (linked)
		setTimeout(() => at.signal.aborted || shown.reveal(linked));
	const filter = h('input', {type: 'search', 'aria-label': 'Filter kernels by name', value: view.q,
		placeholder: 'Filter by name', on: {input: (e) => change({q: e.target.value.trim()})}});
	return {save, node: h('div', {class: 'part'}, h('div', {class: 'toolbar'}, filter, splitChoice(view.by, split),
		checkbox('Full names', view.full, (full) => { view.full = full; rebuild(); }),
		checkbox('Nanoseconds', view.ns, (ns) => { view.ns = ns; rebuild(); }), found, links), place)};
}
