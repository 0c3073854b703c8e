// runs.js - all runs: filtered, sorted by the server, page by page; and for
// whoever has none yet, how the first one comes in.

import * as api from '../api.js';
import {field, h, tags} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';

// The word in the address, the label, an example, and what of a run is offered
// as a suggestion: all but the search want the whole word.
const FILTERS = [
	['q', 'Search', 'part of a name', () => []],
	['project', 'Project', null, (r) => [r.project]],
	['workload', 'Workload', null, (r) => [r.workload]],
	['device', 'Device', null, (r) => r.device_names],
	['framework', 'Framework', null, (r) => [r.framework]],
	['label', 'Label', 'branch=main', (r) => Object.entries(r.labels).map((l) => l.join('='))],
];

const WORST = {error: 'error', loss: 'loss', warn: 'warning', info: 'info'};

const time = (label, key, unit, sort) => ({
	label, unit, num: true, ...sort,
	cell: (r) => f.inUnit(r[key], unit),
	title: (r) => f.exact(r[key]),
});

function columns(items, now) {
	const typical = items.map((r) => r.span_ns).sort((a, b) => a - b)[items.length >> 1];
	const unit = f.columnUnit(typical ?? 0);
	return [
		{label: 'Run', head: true, class: 'wide', cell: (r) => [
			h('a', {href: `/runs/${r.id}`}, r.name || `run ${r.id}`), ' ',
			h('span', {class: 'quiet'}, `#${r.id}`), ' ', tags(r.labels)]},
		{label: 'Project', cell: (r) => r.project || f.NONE},
		{label: 'Workload', cell: (r) => r.workload || f.NONE},
		{label: 'Rank', num: true, cell: (r) => f.rank(r.rank, r.world_size) ?? f.NONE},
		{label: 'Devices', cell: (r) => r.device_names.join(', ') || f.NONE},
		time('Busy', 'busy_ns', unit, {down: 'busy'}),
		time('Span', 'span_ns', unit, {down: 'span'}),
		{label: 'Launches', num: true, down: 'launches', cell: (r) => f.count(r.launches)},
		{label: 'Kernels', num: true, cell: (r) => f.count(r.kernels)},
		{label: 'Notes', num: true, cell: (r) => (r.notes
			? h('span', {class: `severity ${r.worst_note}`}, `${r.notes} ${WORST[r.worst_note] ?? ''}`)
			: f.NONE)},
		{label: 'Added', down: 'newest', up: 'oldest', num: true,
			cell: (r) => h('time', {datetime: r.created_at}, f.age(r.created_at, now)),
			title: (r) => f.moment(r.created_at)},
	];
}

// The address' own words, as the API wants them.
export function asked(query) {
	const out = Object.fromEntries(query);
	const at = out.label?.indexOf('=') ?? -1;
	if (at > 0) {
		out[`label.${out.label.slice(0, at).trim()}`] = out.label.slice(at + 1).trim();
		delete out.label;
	}
	return out;
}

function filterForm(query, items, at) {
	const inputs = FILTERS.map(([name, label, example]) => [label, h('input', {
		name, type: name === 'q' ? 'search' : 'text', value: query.get(name), placeholder: example,
		list: name === 'q' ? null : `offered-${name}`})]);
	const offered = FILTERS.slice(1).map(([name, , , of]) => h('datalist', {id: `offered-${name}`},
		[...new Set(items.flatMap(of))].filter(Boolean).map((value) => h('option', {value}))));
	const submit = (e) => {
		e.preventDefault();
		const next = new URLSearchParams();
		for (const [, input] of inputs)
			if (input.value.trim())
				next.set(input.name, input.value.trim());
		for (const key of ['sort', 'upload'])
			if (query.get(key))
				next.set(key, query.get(key));
		at.go(next.size ? `/runs?${next}` : '/runs');
	};
	return h('form', {class: 'bar', role: 'search', 'aria-label': 'Filter runs', on: {submit}},
		inputs.map(([label, input]) => field(label, input)), offered,
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Filter'),
			[...query.keys()].some((k) => k !== 'sort') ? h('a', {href: '/runs'}, 'Clear') : null));
}

function welcome() {
	const server = location.origin === 'http://127.0.0.1:8080' ? '' : `--server ${location.origin} `;
	return h('section', {class: 'empty'},
		h('h2', {}, 'No runs yet'),
		h('p', {}, 'A run is one profiled process: its kernels, copies and devices. Send a trace written by ',
			'the PyTorch profiler (JSON, also .gz or .zst), and its runs appear here.'),
		h('h3', {}, 'From the command line'),
		h('pre', {tabindex: '0', 'aria-label': 'Command to upload a trace'},
			h('code', {}, `kernsift upload ${server}--project demo --wait trace.json.gz`)),
		h('h3', {}, 'From this page'),
		h('p', {}, 'Drop files on the ', h('a', {href: '/uploads'}, 'uploads page'), '.'));
}

function pager(query, next) {
	const to = (cursor) => {
		const q = new URLSearchParams(query);
		q.delete('cursor');
		if (cursor)
			q.set('cursor', cursor);
		return q.size ? `/runs?${q}` : '/runs';
	};
	return h('nav', {class: 'pager', 'aria-label': 'Pages of the list'},
		query.get('cursor') ? h('a', {href: to(null)}, 'First page') : null,
		next ? h('a', {href: to(next), rel: 'next'}, 'Next page') : null);
}

export async function page(view, query, at) {
	const {items, next} = await api.runs(asked(query), at.signal);
	const filtered = [...query.keys()].some((k) => k !== 'sort');

	view.append(h('h1', {}, 'Runs'));
	if (!items.length && !filtered) {
		view.append(welcome());
		return 'Runs';
	}
	view.append(filterForm(query, items, at));
	if (query.get('upload'))
		view.append(h('p', {class: 'hint'}, `Only the runs of upload ${query.get('upload')}. `,
			h('a', {href: '/runs'}, 'All runs')));
	const sort = (word) => {
		const q = new URLSearchParams(query);
		q.delete('cursor');
		q.set('sort', word);
		at.go(`/runs?${q}`);
	};
	view.append(table({caption: 'Runs', columns: columns(items, Date.now()), rows: items,
		sort: query.get('sort') ?? 'newest', onsort: sort,
		empty: 'No run matches; take a word away, or clear the filter.'}).node,
	pager(query, next));
	return 'Runs';
}
