// run_kernels.js - the kernel table of a run: split, sorted, filtered, short or
// full names, readable units or nanoseconds, all of it kept in the address; and
// the same view as CSV or Markdown from the server.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {matching, sorted, table} from '../table.js';
import {exportLink, share, timeColumn} from './run_columns.js';

const SPLITS = [['', 'All devices together'], ['device', 'By device'], ['grid', 'By grid and block']];
// The words that the server sorts by too; the others are this page's own.
const SERVER = /^-?(total|instances|avg|med|min|max|stddev|p90|p99|name)$/;

function nameCell(row, full) {
	if (full || !row.short_name || row.short_name === row.name)
		return h('code', {class: 'name'}, row.name);
	return h('details', {class: 'name'}, h('summary', {}, h('code', {}, row.short_name)),
		h('code', {class: 'full'}, row.name));
}

function sourceCell(source) {
	if (!source)
		return f.NONE;
	return [['defined in', source.defined_in], ['launched from', source.launched_from]]
		.filter(([, path]) => path)
		.map(([how, path]) => h('div', {class: 'source'}, h('span', {class: 'quiet'}, `${how} `), h('code', {}, path)));
}

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

// All columns for these rows. The long name stands first, so that the numbers
// next to it can be read against it.
function columns(rows, {by, full, ns}) {
	const middle = rows.map((r) => r.med_ns).sort((a, b) => a - b)[rows.length >> 1] ?? 0;
	const each = ns ? 'ns' : f.columnUnit(middle);
	const sum = ns ? 'ns' : f.columnUnit(rows.reduce((most, r) => Math.max(most, r.total_ns), 0));
	return [
		{label: 'Kernel', head: true, class: full ? 'kernel full' : 'kernel', up: 'name', down: '-name',
			cell: (r) => nameCell(r, full), title: (r) => (full ? null : r.name), value: (r) => r.name},
		...splitColumns(by),
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (r) => share(r.time_pct)},
		timeColumn('Total', 'total', sum),
		{label: 'Instances', num: true, down: 'instances', up: '-instances',
			cell: (r) => f.count(r.instances), value: (r) => r.instances},
		...[['Avg', 'avg'], ['Med', 'med'], ['Min', 'min'], ['Max', 'max'], ['StdDev', 'stddev'],
			['p90', 'p90'], ['p99', 'p99']].map(([label, key]) => timeColumn(label, key, each)),
		{label: 'Family', up: 'family', down: '-family', cell: (r) => r.family ?? f.NONE, value: (r) => r.family},
		{label: 'Source', cell: (r) => sourceCell(r.source)},
	];
}

const checkbox = (label, checked, change) => h('label', {class: 'check'},
	h('input', {type: 'checkbox', checked, on: {change: (e) => change(e.target.checked)}}), label);

function splitChoice(by, change) {
	return h('fieldset', {class: 'choice'}, h('legend', {}, 'Split'),
		SPLITS.map(([value, label]) => h('label', {}, h('input', {type: 'radio', name: 'by', value,
			checked: value === by, on: {change: () => change(value)}}), h('span', {}, label))));
}

export async function kernelTable(id, query, at) {
	const view = {by: query.get('by') ?? '', sort: query.get('sort') ?? 'total', q: query.get('q') ?? '',
		full: query.get('names') === 'full', ns: query.get('unit') === 'ns'};
	const load = () => api.kernels(id, {by: view.by}, {signal: at.signal,
		told: (n) => tell(`${f.plural(n, 'row')} loaded`)});
	let all = await load();
	let shown;

	const place = h('div');
	const links = h('span', {class: 'links'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const rows = () => sorted(matching(all, view.q, (r) => r.name), columns(all, view), view.sort);

	function save() {
		at.keep({by: view.by, sort: view.sort === 'total' ? '' : view.sort, q: view.q,
			names: view.full ? 'full' : '', unit: view.ns ? 'ns' : ''});
		const sort = SERVER.test(view.sort) ? view.sort : '';
		links.replaceChildren(...['csv', 'md'].map((format) =>
			exportLink(id, 'kernels', format, {by: view.by, sort, q: view.q})));
	}

	function count(list) {
		found.textContent = list.length === all.length ? f.plural(all.length, 'row')
			: `${f.count(list.length)} of ${f.plural(all.length, 'row')}`;
	}

	// The heads change: a new table. Otherwise only its rows do.
	function rebuild() {
		const list = rows();
		shown = table({caption: 'Kernel statistics', columns: columns(all, view), rows: list, sort: view.sort,
			tall: true, empty: all.length ? 'No kernel has this in its name.' : 'This run has no kernels.',
			onsort: (sort) => change({sort})});
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
			rebuild();
		} catch (error) {
			view.by = before;
			if (!at.signal.aborted)
				showFailure(error, () => split(by));
		}
		place.removeAttribute('aria-busy');
	}

	rebuild();
	const filter = h('input', {type: 'search', 'aria-label': 'Filter kernels by name', value: view.q,
		placeholder: 'Filter by name', on: {input: (e) => change({q: e.target.value.trim()})}});
	return h('div', {class: 'kernels'}, h('div', {class: 'toolbar'}, filter, splitChoice(view.by, split),
		checkbox('Full names', view.full, (full) => { view.full = full; rebuild(); }),
		checkbox('Nanoseconds', view.ns, (ns) => { view.ns = ns; rebuild(); }), found, links), place);
}
