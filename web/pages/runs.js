// runs.js - the list of runs with filters, order and pages. Without any runs, it shows how to
// upload a first trace.

import * as api from '../lib/api.js';
import {breakdownUrl, gpuCounterparts} from '../lib/breakdown_compare.js';
import {contentMark, typicalUnit} from '../lib/columns.js';
import {completeFields} from '../finding/complete.js';
import {field, h, tags} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listCount} from '../lib/list_pages.js';
import {launchCount, unknownTitle} from '../lib/run_content.js';
import {GROUPINGS, runGroups} from '../lib/run_groups.js';
import {runPicker} from '../lib/run_picker.js';
import {table} from '../lib/table.js';
import {ticksManager} from './run_manage.js';

// A filter: its parameter, its label and an example. The search matches parts of values; all other
// filters match whole values, which the server completes.
const FILTERS = [
	['q', 'Search', 'part of any name'],
	['project', 'Project', 'whole name'],
	['workload', 'Workload', 'whole name'],
	['device', 'Device', 'whole name'],
	['framework', 'Framework', 'whole name'],
	['label', 'Label', 'branch=main'],
];
// The number of runs of a page with groups, so that groups are rarely split.
const GROUPED = 500;
// Longer lists scroll below their headings.
const LONG = 30;
const DAYS = [
	['since', 'Since'],
	['until', 'Until'],
];
const CONTENTS = [
	['', 'any'],
	['launches', 'single launches'],
	['statistics', 'statistics only'],
	['patterns', 'patterns only'],
	['durations', 'durations only'],
];

const WORST = {error: 'error', loss: 'loss', warn: 'warning', info: 'info'};

const time = (label, key, unit, sort) => ({
	label,
	unit,
	num: true,
	...sort,
	cell: (r) => f.inUnit(r[key], unit),
	title: (r) => (r[key] === null ? unknownTitle(r) : f.exact(r[key])),
});

const graphMark = (r) =>
	r.graphs > 0
		? h(
				'span',
				{
					class: 'mark',
					title: `${f.duration(r.graph_ns)} of GPU time was recorded without its kernels`,
				},
				'graphs recorded as one piece',
			)
		: null;

// The GPUs of a run, and a link to the layers of its workload on another GPU.
function deviceCell(run, others) {
	const names = run.device_names.join(', ') || f.NONE;
	if (!others) return names;
	return [
		h('div', {}, names),
		h(
			'a',
			{
				class: 'by-layer',
				href: breakdownUrl([run, ...others].map((r) => String(r.id))),
				title: `Compares this run layer by layer with ${others.map((r) => `#${r.id} on ${r.device_names.join(', ')}`).join(' and ')}`,
			},
			others.length > 1 ? `By layer with ${others.length} other GPUs` : ['By layer with ', h('bdi', {}, others[0].device_names.join(', '))],
		),
	];
}

function columns(items, now, picks) {
	const counterparts = gpuCounterparts(items);
	const unit = typicalUnit(items.map((r) => r.span_ns));
	// Runs of one upload are distinguished by their process.
	const apart = (run) => run.pid !== null && items.some((r) => r !== run && r.upload === run.upload);
	return [
		...picks,
		{
			label: 'Run',
			head: true,
			class: 'wide',
			cell: (r) => [
				h('a', {href: `/runs/${r.id}`}, r.name || `run ${r.id}`),
				' ',
				h('span', {class: 'quiet'}, apart(r) ? `#${r.id}, pid ${r.pid}` : `#${r.id}`),
				' ',
				contentMark(r),
				graphMark(r),
				' ',
				tags(r.labels),
				h('div', {class: 'narrow-only'}, `busy ${f.duration(r.busy_ns)}, span ${f.duration(r.span_ns)}`),
			],
		},
		{label: 'Project', cell: (r) => r.project || f.NONE},
		{label: 'Workload', cell: (r) => r.workload || f.NONE},
		{label: 'Rank', num: true, cell: (r) => f.rank(r.rank, r.world_size) ?? f.NONE},
		{label: 'Devices', class: 'wraps', cell: (r) => deviceCell(r, counterparts.get(r.id))},
		time('Busy', 'busy_ns', unit, {down: 'busy'}),
		time('Span', 'span_ns', unit, {down: 'span'}),
		{label: 'Launches', num: true, down: 'launches', cell: launchCount},
		{label: 'Kernels', num: true, cell: (r) => f.count(r.kernels)},
		{
			label: 'Notes',
			num: true,
			cell: (r) =>
				r.notes
					? h('span', {class: `severity ${r.worst_note}`}, `${r.notes} (${WORST[r.worst_note] ?? 'unknown'})`)
					: f.NONE,
			title: (r) =>
				r.notes ? `${f.plural(r.notes, 'kind')} of notes; severity of the worst: ${WORST[r.worst_note] ?? 'unknown'}` : null,
		},
		{
			label: 'Added',
			down: 'newest',
			up: 'oldest',
			num: true,
			cell: (r) => h('time', {datetime: r.created_at}, f.age(r.created_at, now)),
			title: (r) => f.moment(r.created_at),
		},
	];
}

// The parameters of the request; ticked runs and groups belong only to the page. Each `label` of the
// address is KEY=VALUE.
export function runListParams(query) {
	const {base, head, group, label, ...out} = Object.fromEntries(query);
	const rest = [];
	for (const text of query.getAll('label')) {
		const at = text.indexOf('=');
		if (at > 0) out[`label.${text.slice(0, at).trim()}`] = text.slice(at + 1).trim();
		else if (text) rest.push(text);
	}
	if (rest.length) out.label = rest[0];
	return out;
}

// Parameters that stay when the filter changes.
const KEPT_PARAMS = ['sort', 'upload', 'job', 'base', 'head'];

// The labels that the list is filtered by, each with a link that removes it.
function labelTags(query) {
	const labels = query.getAll('label').filter(Boolean);
	return labels.map((label, i) => {
		const rest = new URLSearchParams(query);
		rest.delete('label');
		rest.delete('cursor');
		for (const other of labels.filter((_, k) => k !== i)) rest.append('label', other);
		return h(
			'a',
			{class: 'tag', href: rest.size ? `/runs?${rest}` : '/runs', 'aria-label': `Remove the label ${label}`},
			h('bdi', {}, label),
			' ×',
		);
	});
}

function filterForm(query, picked, at) {
	const inputs = FILTERS.map(([name, label, example]) => [
		label,
		h('input', {
			name,
			type: name === 'q' ? 'search' : 'text',
			value: name === 'label' ? null : query.get(name),
			placeholder: name === 'label' && query.has('label') ? 'another label' : example,
		}),
	]);
	for (const [name, label] of DAYS)
		inputs.push([label, h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)})]);
	const select = (name, options) =>
		h(
			'select',
			{name},
			options.map(([value, text]) => h('option', {value, selected: (query.get(name) ?? '') === value}, text)),
		);
	inputs.push(['Content', select('content', CONTENTS)], ['Group by', select('group', GROUPINGS)]);
	const submit = (e) => {
		e.preventDefault();
		const next = new URLSearchParams();
		for (const label of query.getAll('label')) if (label) next.append('label', label);
		for (const [, input] of inputs) if (input.value.trim()) next.append(input.name, input.value.trim());
		const now = {...Object.fromEntries(query), ...picked()};
		for (const key of KEPT_PARAMS) if (now[key]) next.set(key, now[key]);
		at.go(next.size ? `/runs?${next}` : '/runs');
	};
	const form = h(
		'form',
		{class: 'bar', role: 'search', 'aria-label': 'Filter runs', on: {submit}},
		inputs.map(([label, input]) => field(label, input)),
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit', class: 'main'}, 'Filter'),
			filters(query) ? h('a', {href: '/runs'}, 'Clear') : null,
		),
	);
	return completeFields(form, at.signal);
}

function welcome() {
	const server = location.origin === 'http://127.0.0.1:8080' ? '' : `--server ${location.origin} `;
	return h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'No runs yet'),
		h(
			'p',
			{},
			'A run is one profiled process: its kernels, copies and devices. Upload a trace of the ',
			'PyTorch profiler, Nsight Systems or ROCm, or a table of ',
			h('code', {}, 'nsys stats'),
			', and its runs appear here.',
		),
		h('h3', {}, 'From the command line'),
		h(
			'pre',
			{tabindex: '0', 'aria-label': 'Command to upload a trace'},
			h('code', {}, `kernsift upload ${server}--project demo --wait trace.json.gz`),
		),
		h('h3', {}, 'From this page'),
		h('p', {}, 'Drop files on the ', h('a', {href: '/uploads'}, 'uploads page'), '.'),
	);
}

// The same list with changed parameters; ticked runs stay.
function runsUrl(query, picked, changes) {
	const q = new URLSearchParams(query);
	q.delete('cursor');
	for (const [key, value] of Object.entries({...picked(), ...changes}))
		if (value) q.set(key, value);
		else q.delete(key);
	return q.size ? `/runs?${q}` : '/runs';
}

function pager(query, next, picked) {
	const link = (text, cursor, rel) =>
		h(
			'a',
			{
				href: runsUrl(query, picked, {cursor}),
				rel,
				on: {
					click: (e) => {
						// The runs ticked now, not those ticked when the list was drawn.
						e.currentTarget.setAttribute('href', runsUrl(query, picked, {cursor}));
					},
				},
			},
			text,
		);
	return h(
		'nav',
		{class: 'pager', 'aria-label': 'Pages of the list'},
		query.get('cursor') ? link('First page', null) : null,
		next ? link('Next page', next, 'next') : null,
	);
}

const filters = (query) => [...query.keys()].some((k) => !['sort', 'base', 'head', 'group'].includes(k));

// The heading of a group: its name, the number of its runs on this page, and their means.
function groupHeading({key, name, runs, busy_ns, span_ns}, by) {
	const mean = (label, ns) => (ns === null ? null : h('span', {title: f.exact(Math.round(ns))}, `mean ${label} ${f.duration(ns)}`));
	return [
		by === 'job' && key ? h('a', {href: `/jobs/${key}`}, h('bdi', {}, name)) : h('bdi', {}, name),
		h('span', {}, f.plural(runs.length, 'run')),
		mean('busy', busy_ns),
		mean('span', span_ns),
	];
}

export async function page(view, query, at) {
	const by = GROUPINGS.some(([word]) => word && word === query.get('group')) ? query.get('group') : null;
	const list = await api.runs({...(by && {limit: GROUPED}), ...runListParams(query), total: 'yes'}, at.signal);
	const {items, next} = list;
	view.append(h('h1', {}, 'Runs'));
	if (!items.length && !filters(query)) {
		view.append(welcome());
		return 'Runs';
	}
	// The same list without deleted runs.
	const deleted = (ids) => {
		const rest = (words) => words.filter((word) => !ids.includes(Number(word))).join(',');
		const {base, head} = picks.sides();
		return at.go(runsUrl(query, picked, {base: rest(base), head: rest(head)}));
	};
	const manager = ticksManager(at, deleted);
	const names = new Map(items.map((r) => [String(r.id), r.name || `run ${r.id}`]));
	const picks = runPicker(query, names, at, manager.tick);
	const picked = () => ({base: picks.sides().base.join(','), head: picks.sides().head.join(',')});
	view.append(filterForm(query, picked, at));
	if (query.getAll('label').some(Boolean)) view.append(h('p', {class: 'tags'}, 'Labels: ', labelTags(query)));
	for (const [key, text] of [
		['upload', 'upload'],
		['job', 'job'],
	])
		if (query.get(key))
			view.append(
				h(
					'p',
					{class: 'hint'},
					`Only the runs of ${text} ${query.get(key)}. `,
					key === 'job' ? [h('a', {href: `/jobs/${query.get(key)}`}, 'Ranks of the job'), ' · '] : '',
					h('a', {href: '/runs'}, 'All runs'),
				),
			);
	const groups = by && runGroups(items, by).map((g) => ({head: groupHeading(g, by), rows: g.runs}));
	view.append(
		listCount(list, 'run'),
		table({
			caption: 'Runs',
			groups,
			tall: items.length > LONG,
			columns: columns(items, Date.now(), picks.columns),
			rows: items,
			sort: query.get('sort') ?? 'newest',
			onsort: (word) => at.go(runsUrl(query, picked, {sort: word})),
			empty: 'No run matches. Change or clear the filter.',
		}).node,
		pager(query, next, picked),
		picks.tray,
		manager.node,
	);
	return 'Runs';
}
