// run_kernels.js - tab: the kernel table of a run. The address contains its splits, order, search,
// full names, units and open rows. The same view is available as CSV or Markdown. Below it are
// graph replays.

import * as api from '../lib/api.js';
import {exportLink, largestUnit, share, sourceLines, SPREAD, timeColumn, typicalUnit} from '../lib/columns.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {launchSection} from '../lib/kernel_launches.js';
import {profileList} from '../lib/kernel_profiles.js';
import {announce, showFailure} from '../lib/notices.js';
import {missingDetail, unknownTitle} from '../lib/run_content.js';
import {matching, sorted, table} from '../lib/table.js';

// The details of a kernel: its full name, its source, its callers and its launches.

// The details of a table of kernels. `linked` is the kernel whose details the address opens;
// chosen() returns the kernel that was opened last.
function kernelDetail(run, rows, linked, at, changed) {
	const open = new Set();
	const callers = new Map();
	const launches = new Map();

	// After the rows have changed, opens the first row of the kernel that was open.
	function follow(list, id) {
		const row = list.find((r) => String(r.id) === id);
		open.clear();
		if (row) open.add(row);
	}

	function launchedBy(row) {
		if (missingDetail(run))
			return h('p', {class: 'quiet'}, missingDetail(run).callers);
		if (!callers.has(row)) callers.set(row, callerList(run, row, at));
		return callers.get(row).show();
	}

	function launchesOf(row) {
		if (missingDetail(run)) return '';
		if (!launches.has(row.id)) launches.set(row.id, launchSection(run, row, at));
		return launches.get(row.id).show();
	}

	function fill(row, place) {
		place.append(
			facts([
				['Name', h('code', {class: 'full'}, row.name)],
				['Family', row.family],
				['Operator', row.operator],
				['Source', sourceLines(row.source)],
				['Source found by', row.source?.known_from],
				['Nsight Compute', profileList(row.kernel_profiles)],
				['Timeline', missingDetail(run) ? null : h('a', {href: `/runs/${run.id}?tab=timeline&kernel=${row.id}`}, 'Show its launches')],
			]),
			launchedBy(row),
			launchesOf(row),
		);
	}

	const chosen = () => String([...open].at(-1)?.id ?? '');
	follow(rows, linked);
	return {open, fill, changed, chosen, name: (r) => r.distinct_name || r.name, follow: (list) => follow(list, chosen())};
}

// The call paths that launched a kernel, each with launches, time and share. A path consists of the
// annotations, modules, Python functions and operators around the call, outermost first.

const FIRST_CALLERS = 12;
const INNERMOST = 4;
const LANDMARKS = 4;
export const FRAME_KINDS = {annotation: 'range', module: 'module', python: 'Python', op: 'operator'};
const WITHOUT = {
	no_range: 'No range, module, Python function or operator was active around the call.',
	no_call: 'The trace has no API call for these launches: the call was before the recording, or a graph was replayed.',
};

// The indices of the frames that are visible when a path is folded. These are the innermost frames
// and, of the outer frames, the nearest modules and ranges, because they identify the layer, and the
// nearest user frame. A fold hides at least two frames.
export function visibleFrames(path, user = null) {
	const inner = Math.max(0, path.length - INNERMOST);
	const outer = path
		.slice(0, inner)
		.flatMap(({kind}, i) => (kind === 'module' || kind === 'annotation' ? [i] : []))
		.slice(-LANDMARKS);
	if (user !== null && user < inner && !outer.includes(user)) outer.push(user);
	outer.sort((a, b) => a - b);
	const seen = [...outer, ...path.slice(inner).map((_, i) => inner + i)];
	return path.length - seen.length > 1 ? seen : path.map((_, i) => i);
}

const frameLine = ({kind, name}, user) =>
	h(
		'li',
		{},
		h('span', {class: 'kind'}, FRAME_KINDS[kind] ?? kind),
		' ',
		h('code', {class: user ? 'user' : null, title: user ? 'the nearest user frame' : null}, name),
	);
const foldedFrames = () => h('li', {class: 'folded', 'aria-hidden': 'true'}, h('span', {class: 'kind'}, '⋮'));

function frameLines(path, seen, cut, user) {
	const out = cut ? [h('li', {class: 'quiet'}, h('span'), 'outer frames are not recorded')] : [];
	seen.forEach((at, i) => {
		if (at > (i ? seen[i - 1] + 1 : 0)) out.push(foldedFrames());
		out.push(frameLine(path[at], at === user));
	});
	return out;
}

function pathCell({found_by: known, path, path_cut: cut, user_frame: user}) {
	if (known !== 'path') return h('p', {class: 'quiet'}, WITHOUT[known] ?? known);
	const all = path.map((_, i) => i);
	const seen = visibleFrames(path, user);
	const list = h('ol', {class: 'path'}, frameLines(path, seen, cut, user));
	if (seen.length === path.length) return list;
	const toggle = h(
		'button',
		{
			type: 'button',
			class: 'fold',
			'aria-expanded': 'false',
			on: {
				click: () => {
					const open = toggle.getAttribute('aria-expanded') === 'false';
					toggle.setAttribute('aria-expanded', open);
					list.replaceChildren(...frameLines(path, open ? all : seen, cut, user));
				},
			},
		},
		h('span', {class: 'twist', 'aria-hidden': 'true'}),
		f.plural(path.length - seen.length, 'more frame'),
	);
	return [toggle, list];
}

function callerTable(name, items, all) {
	const columns = [
		{label: 'Call path, outermost first', head: true, class: 'wide', cell: pathCell},
		{
			label: 'Paths',
			num: true,
			cell: (c) => f.count(c.paths),
			title: (c) => (c.paths > 1 ? `${f.count(c.paths)} paths that differ only in the numbers of layers` : null),
		},
		{label: 'Launches', num: true, cell: (c) => f.count(c.launches)},
		timeColumn('Time', 'total', largestUnit(items.map((c) => c.total_ns))),
		{
			label: 'Share',
			unit: '%',
			num: true,
			class: 'time',
			cell: (c) => share(c.share_pct),
			title: () => `of the kernel's ${f.duration(all.total_ns)}`,
		},
	].map(({up, down, ...column}) => column);
	return table({caption: `Callers of ${name}`, columns, rows: items}).node;
}

// Loads the callers of a kernel when first shown.
function callerList(run, row, at) {
	const place = h('div', {class: 'callers'});
	const items = [];
	let requested = false;

	function draw(answer) {
		const {next} = answer;
		const more = next && h('button', {type: 'button', on: {click: () => loadPage(next)}}, 'Show more callers');
		place.replaceChildren(
			h('h3', {}, 'Launched by'),
			items.length
				? callerTable(row.distinct_name || row.name, items, answer)
				: h('p', {class: 'quiet'}, 'The trace has no callers.'),
			more || '',
		);
	}

	async function loadPage(cursor) {
		requested = true;
		place.setAttribute('aria-busy', 'true');
		if (!items.length) place.replaceChildren(h('p', {class: 'loading'}, 'Loading callers…'));
		try {
			const answer = await api.callers(run.id, row.id, cursor ? {cursor} : {limit: FIRST_CALLERS}, at.signal);
			items.push(...answer.items);
			draw(answer);
			announce(f.plural(items.length, 'caller'));
		} catch (error) {
			requested = false;
			if (at.signal.aborted) return;
			if (!items.length) place.replaceChildren(h('p', {class: 'quiet'}, 'The callers could not be loaded.'));
			showFailure(error, () => loadPage(cursor));
		}
		place.removeAttribute('aria-busy');
	}

	return {
		show() {
			if (!requested) loadPage(null);
			return place;
		},
	};
}

// The CUDA graphs whose replays were recorded as one piece.

const graphNumber = (label, key, title) => ({
	label,
	num: true,
	up: key,
	down: `-${key}`,
	cell: (r) => f.count(r[key]),
	value: (r) => r[key],
	title,
});

function graphColumns(rows) {
	const each = typicalUnit(rows.map((r) => r.median_ns));
	return [
		{
			label: 'Graph',
			head: true,
			num: true,
			up: 'graph',
			down: '-graph',
			value: (r) => r.graph_id,
			cell: (r) => f.plain(r.graph_id),
		},
		{
			label: 'Executable graph',
			num: true,
			up: 'exec',
			down: '-exec',
			value: (r) => r.graph_exec,
			cell: (r) => f.plain(r.graph_exec),
			title: () => 'the instantiated graph',
		},
		graphNumber('Device', 'device'),
		timeColumn('Total', 'total', largestUnit(rows.map((r) => r.total_ns))),
		{
			label: 'Replays',
			num: true,
			down: 'instances',
			up: '-instances',
			cell: (r) => f.count(r.instances),
			value: (r) => r.instances,
		},
		...SPREAD.map(([label, key]) => timeColumn(label, key, each)),
	];
}

export async function graphSection(run, at) {
	if (!run.graphs) return null;
	const {items} = await api.graphs(run.id, at.signal);
	const all = graphColumns(items);
	const shown = table({
		caption: 'Graph replays',
		columns: all,
		rows: items,
		sort: 'total',
		onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort}),
	});
	return h(
		'section',
		{'aria-labelledby': 'graphs'},
		h('h2', {id: 'graphs'}, 'Graph replays'),
		h('p', {class: 'quiet'}, 'Each replay is one record; the kernels inside are unknown.'),
		shown.node,
	);
}

const SPLITS = [
	['', 'All devices together'],
	['device', 'By device'],
	['grid', 'By grid and block'],
];
// Sort keys that the server supports too, for file links.
const SERVER = /^-?(total|instances|mean|median|min|max|stddev|p90|p99|name)$/;

function splitColumns(by) {
	const number = (xyz) => xyz && xyz.reduce((n, d) => n * 65536 + d, 0);
	if (by === 'device')
		return [
			{
				label: 'Device',
				num: true,
				up: 'device',
				down: '-device',
				cell: (r) => f.count(r.device),
				value: (r) => r.device,
			},
		];
	if (by === 'grid')
		return ['grid', 'block'].map((key) => ({
			label: key === 'grid' ? 'Grid' : 'Block',
			num: true,
			down: key,
			up: `-${key}`,
			class: 'dims',
			cell: (r) => f.dims(r[key]),
			value: (r) => number(r[key]),
		}));
	return [];
}

// A phone has room for two columns, so that the time follows the name there.
const onPhone = () => matchMedia('(max-width: 40rem)').matches;

// All columns for these rows: first the name, the split and the family.
function columns(run, rows, {by, full, ns}) {
	const each = ns ? 'ns' : typicalUnit(rows.map((r) => r.median_ns ?? r.mean_ns));
	const sum = ns ? 'ns' : largestUnit(rows.map((r) => r.total_ns));
	const reason = unknownTitle(run);
	const kind = [
		{
			label: 'Family',
			class: 'family wide-only',
			up: 'family',
			down: '-family',
			cell: (r) => r.family ?? f.NONE,
			title: (r) => (r.family ? null : 'no naming rule matches this name'),
			value: (r) => r.family,
		},
		{
			label: 'Operator',
			class: 'family wide-only',
			up: 'operator',
			down: '-operator',
			cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE),
			title: (r) => (r.operator ? null : 'unattributed'),
			value: (r) => r.operator ?? null,
		},
	];
	const phone = onPhone();
	return [
		{
			label: 'Kernel',
			head: true,
			class: full ? 'kernel full' : 'kernel',
			up: 'name',
			down: '-name',
			cell: (r) => h('code', {}, full ? r.name : r.distinct_name || r.name),
			title: (r) => (full ? null : r.name),
			value: (r) => r.name,
		},
		...splitColumns(by),
		...(phone ? [] : kind),
		{
			label: 'Time',
			unit: '%',
			num: true,
			class: 'time',
			cell: (r) => share(r.time_pct),
			title: (r) => (r.time_pct === null ? reason : null),
		},
		timeColumn('Total', 'total', sum, reason),
		...(phone ? kind : []),
		{
			label: 'Instances',
			num: true,
			down: 'instances',
			up: '-instances',
			cell: (r) => f.count(r.instances),
			value: (r) => r.instances,
		},
		...SPREAD.map(([label, key]) => timeColumn(label, key, each, reason)),
		{
			label: 'Source',
			class: 'sources',
			cell: (r) => sourceLines(r.source, 1) ?? f.NONE,
			title: (r) => (r.source ? null : 'unknown'),
		},
	];
}

const checkbox = (label, checked, change) =>
	h(
		'label',
		{class: 'check'},
		h('input', {type: 'checkbox', checked, on: {change: (e) => change(e.target.checked)}}),
		label,
	);

function splitChoice(by, change) {
	return h(
		'fieldset',
		{class: 'choice'},
		h('legend', {}, 'Split'),
		SPLITS.map(([value, label]) =>
			h(
				'label',
				{},
				h('input', {
					type: 'radio',
					name: 'by',
					value,
					checked: value === by,
					on: {change: () => change(value)},
				}),
				h('span', {}, label),
			),
		),
	);
}

export async function kernelTab(run, query, at) {
	const view = {
		by: query.get('by') ?? '',
		sort: query.get('sort') ?? 'total',
		q: query.get('q') ?? '',
		full: query.get('names') === 'full',
		ns: query.get('unit') === 'ns',
	};
	const load = () =>
		api.kernels(
			run.id,
			{by: view.by},
			{signal: at.signal, onProgress: (n) => announce(`${f.plural(n, 'row')} loaded`)},
		);
	let all = await load();
	let shown;

	const place = h('div');
	const links = h('span', {class: 'links'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const detail = kernelDetail(run, all, query.get('kernel'), at, () => save());
	const rows = () =>
		sorted(
			matching(all, view.q, (r) => r.name),
			columns(run, all, view),
			view.sort,
		);

	function save() {
		at.keep({
			by: view.by,
			sort: view.sort === 'total' ? '' : view.sort,
			q: view.q,
			names: view.full ? 'full' : '',
			unit: view.ns ? 'ns' : '',
			kernel: detail.chosen(),
		});
		const sort = SERVER.test(view.sort) ? view.sort : '';
		links.replaceChildren(
			...['csv', 'md'].map((format) => exportLink(run.id, 'kernels', format, {by: view.by, sort, q: view.q})),
		);
	}

	function nothing() {
		if (all.length) return 'No kernel matches the search.';
		return run.kernels && view.by ? 'The trace has no data for this split.' : 'This run has no kernels.';
	}

	function count(list) {
		found.textContent =
			list.length === all.length
				? f.plural(all.length, 'row')
				: `${f.count(list.length)} of ${f.plural(all.length, 'row')}`;
	}

	// A change of columns needs a new table; otherwise only the rows change.
	function rebuild() {
		const list = rows();
		shown = table({
			caption: 'Kernel statistics',
			columns: columns(run, all, view),
			rows: list,
			sort: view.sort,
			tall: true,
			empty: nothing(),
			onsort: (sort) => change({sort}),
			detail,
		});
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
			if (!at.signal.aborted) showFailure(error, () => split(by));
		}
		place.removeAttribute('aria-busy');
	}

	rebuild();
	// Scrolls to a linked kernel after the page is shown.
	const linked = rows().find((r) => String(r.id) === detail.chosen());
	if (linked) setTimeout(() => at.signal.aborted || shown.reveal(linked));
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Filter kernels by name',
		value: view.q,
		placeholder: 'Filter by name',
		on: {input: (e) => change({q: e.target.value.trim()})},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'div',
				{class: 'toolbar'},
				filter,
				splitChoice(view.by, split),
				checkbox('Full names', view.full, (full) => {
					view.full = full;
					rebuild();
				}),
				checkbox('Nanoseconds', view.ns, (ns) => {
					view.ns = ns;
					rebuild();
				}),
				found,
				links,
			),
			place,
		),
	};
}
