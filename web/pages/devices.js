// devices.js - GPUs over many runs: which of them execute the same work slower than the median GPU.
// The filters, the order and the search are in the address.

import * as api from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {scopeText} from '../lib/scope.js';

// The class is that of a gate's outcome with the same color.
export const VERDICTS = {
	slow: {mark: '▲', text: 'slow', class: 'bad_data', description: 'proven to be slower, by more than the margin'},
	undecided: {
		mark: '?',
		text: 'undecided',
		class: 'undecided',
		description: 'neither proven to be slower nor within the margin',
	},
	not_slow: {mark: '✓', text: 'not slow', class: 'pass', description: 'the interval is below the margin'},
	not_judged: {mark: '–', text: 'not judged', class: '', description: 'too few comparable runs or GPUs'},
};

const TEXTS = [
	['project', 'Project', 'whole name'],
	['workload', 'Workload', 'whole name'],
	['platform', 'Platform', 'H20'],
];
const DAYS = [
	['since', 'Since'],
	['until', 'Until'],
];

const change = (pct) => (pct === null ? f.NONE : f.changeOf(1 + pct / 100));

function verdict(row) {
	const {mark, text, class: color, description} = VERDICTS[row.verdict];
	return h('span', {class: `outcome ${color}`, title: row.reason ?? description}, `${mark} ${text}`);
}

// The slowdown by cause; unknown without a recorded clock.
function causes(row) {
	if (row.by_neither_pct === null) return f.NONE;
	const parts = [
		[row.by_power_pct === null ? 'clock or power' : 'clock', row.by_clock_pct],
		['power or heat', row.by_power_pct],
		['neither', row.by_neither_pct],
	];
	return parts
		.filter(([, pct]) => pct !== null && pct >= 0.05)
		.map(([name, pct]) => `${name} ${change(pct)}`)
		.join(', ');
}

function numberColumn(label, key, cell, title) {
	return {label, num: true, down: key, up: `-${key}`, value: (r) => r[key], cell, title};
}

// How the GPU is known.
function identity(row) {
	if (row.identified_by === 'number')
		return 'The number by which processes of this host know the GPU. CUDA_VISIBLE_DEVICES can give another GPU this number.';
	return row.bus_id ? `PCI address ${row.bus_id}` : null;
}

const COLUMNS = [
	{
		label: 'GPU',
		head: true,
		class: 'wide',
		up: 'gpu',
		down: '-gpu',
		value: (r) => r.gpu,
		cell: (r) => r.gpu,
		title: identity,
	},
	{label: 'Host', up: 'host', down: '-host', value: (r) => r.host, cell: (r) => r.host ?? f.NONE},
	{label: 'Platform', cell: (r) => r.platform ?? r.name ?? f.NONE, title: (r) => r.name},
	{label: 'Verdict', cell: verdict},
	numberColumn(
		'Slowdown',
		'slowdown_pct',
		(r) => change(r.slowdown_pct),
		(r) => r.reason ?? `${r.slowdown_pct} %, relative to the median GPU`,
	),
	{
		label: '95 % interval',
		num: true,
		cell: (r) => (r.low_pct === null ? f.NONE : `${change(r.low_pct)} to ${change(r.high_pct)}`),
		title: (r) => r.reason ?? `a slowdown of ${f.count(r.detectable_pct, 1)} % would be proven`,
	},
	numberColumn('p adjusted', 'p_adjusted', (r) => f.probability(r.p_adjusted), (r) => r.reason),
	{
		label: 'By cause',
		cell: causes,
		title: (r) =>
			r.by_neither_pct === null
				? 'unknown: no clocks are recorded, or the GPU is not slower than the median'
				: 'clock and power are upper bounds for work that waits for memory',
	},
	{
		label: 'Slowest in',
		cell: (r) => r.operators.map((o) => `${o.operator} ${change(o.slowdown_pct)}`).join(', ') || f.NONE,
	},
	numberColumn('Runs', 'runs', (r) => h('a', {href: `/runs/${r.newest_run}`, title: 'the newest run'}, f.count(r.runs))),
];

// What is not judged, as sentences.
function excluded(doc) {
	const lines = [
		doc.reason && `No GPU is judged: ${doc.reason}.`,
		doc.unidentified_runs > 0 &&
			`${f.plural(doc.unidentified_runs, 'run')} without the identity of the GPU (neither UUID, nor host and its PCI address or number).`,
		doc.several_gpus_runs > 0 && `${f.plural(doc.several_gpus_runs, 'run')} on several GPUs, analyzed before times per GPU were stored (see kernsiftd rebuild).`,
		doc.table_runs > 0 && `${f.plural(doc.table_runs, 'imported table')} without times per GPU.`,
		doc.idle_runs > 0 && `${f.plural(doc.idle_runs, 'run')} without a launch.`,
		doc.more && `Only the newest ${f.count(doc.runs)} runs were read.`,
	].filter(Boolean);
	return lines.length ? h('div', {class: 'notice'}, lines.map((line) => h('div', {}, line))) : null;
}

function url(values) {
	const q = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
	return q.size ? `/devices?${q}` : '/devices';
}

function filters(query, at) {
	const inputs = TEXTS.map(([name, label, example]) => [
		label,
		h('input', {type: 'text', name, value: query.get(name), placeholder: example, autocomplete: 'off'}),
	]);
	for (const [name, label] of DAYS)
		inputs.push([label, h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)})]);
	const choice = h(
		'select',
		{name: 'verdict'},
		h('option', {value: ''}, 'any'),
		Object.entries(VERDICTS).map(([word, {text}]) =>
			h('option', {value: word, selected: query.get('verdict') === word}, text),
		),
	);
	const submit = (e) => {
		e.preventDefault();
		at.go(url(Object.fromEntries([...inputs.map(([, input]) => input), choice].map((i) => [i.name, i.value.trim()]))));
	};
	return h(
		'form',
		{role: 'search', 'aria-label': 'Filters', class: 'filter-form', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			inputs.map(([label, input]) => field(label, input)),
			field('Verdict', choice),
			h(
				'div',
				{class: 'actions'},
				h('button', {type: 'submit', class: 'main'}, 'Filter'),
				query.size ? h('a', {href: '/devices'}, 'Clear') : null,
			),
		),
	);
}

export async function page(view, query, at) {
	const params = {};
	for (const word of [...[...TEXTS, ...DAYS].map(([name]) => name), 'verdict']) if (query.get(word)) params[word] = query.get(word);
	const doc = await api.devices(params, at.signal);
	const judged = doc.devices - doc.not_judged_devices;
	view.append(
		h('h1', {}, 'Devices'),
		h(
			'p',
			{class: 'hint'},
			`${f.plural(doc.devices, 'GPU')} (${scopeText(params, [['platform', params.platform]])}), ${f.count(judged)} judged, ${f.count(doc.slow_devices)} slow. A GPU is compared with the ` +
				'median GPU that executes the same operator shapes in the same workloads.',
		),
		filters(query, at),
		excluded(doc) ?? '',
		listing({
			caption: 'GPUs',
			columns: COLUMNS,
			rows: doc.items,
			query,
			defaultSort: null,
			rowName: 'GPU',
			text: (r) => [r.gpu, r.host, r.platform, r.name].filter(Boolean).join(' '),
			empty: query.size ? 'No GPU matches.' : 'No run states which GPU it used yet.',
			links: ['csv', 'md'].map((format) =>
				fileLink(format === 'csv' ? 'CSV' : 'Markdown', api.devicesFile(format, params), `devices.${format}`),
			),
			at,
		}).node,
	);
	return 'Devices';
}
