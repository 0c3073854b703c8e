// run_iterations.js - tab: the iterations of a run: how they were found, their durations and
// signatures, and where their time was spent. The user may choose ranges of another name as
// iterations.

import * as api from '../lib/api.js';
import {chart} from '../chart/chart.js';
import {inOrder} from '../chart/chart_iterations.js';
import {exportLink, typicalUnit} from '../lib/columns.js';
import {DETECTORS} from '../lib/comparison.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {sorted, table} from '../lib/table.js';
import {utilizationColumns} from './run_operators.js';

const USES = {kept: 'compared', warmup: 'warm-up', partial: 'cut off'};
const use = (c) => USES[c.use] ?? c.use;

function columns(items) {
	const unit = typicalUnit(items.map((c) => c.dur_ns));
	const time = (label, key) => ({
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (c) => c[`${key}_ns`],
		cell: (c) => f.inUnit(c[`${key}_ns`], unit),
		title: (c) => f.exact(c[`${key}_ns`]),
	});
	return [
		{
			label: 'Iteration',
			head: true,
			num: true,
			up: 'number',
			down: '-number',
			value: (c) => c.number,
			cell: (c) => f.plain(c.number),
		},
		{label: 'Range', class: 'wide', cell: (c) => c.label ?? f.NONE},
		{
			label: 'Use',
			up: 'use',
			down: '-use',
			value: (c) => c.use,
			title: (c) => (c.open ? 'idle time at the end may be missing' : null),
			cell: (c) => (c.use === 'kept' ? use(c) : h('span', {class: 'mark'}, use(c))),
		},
		{
			label: 'Stratum',
			num: true,
			up: 'stratum',
			down: '-stratum',
			value: (c) => c.stratum,
			cell: (c) => f.count(c.stratum + 1),
		},
		{...time('Duration', 'dur'), class: 'delta'},
		time('Compute', 'compute'),
		time('Exposed communication', 'comm'),
		time('Copies', 'copy'),
		time('Idle', 'idle'),
		time('Total communication', 'comm_total'),
		{
			label: 'Overlapped',
			unit: '%',
			num: true,
			down: 'comm_overlapped',
			up: '-comm_overlapped',
			value: (c) => c.comm_overlapped_pct,
			cell: (c) => f.percent(c.comm_overlapped_pct),
			title: (c) => f.exact(c.comm_overlapped_ns),
		},
		time('Host wait', 'sync'),
		{...time('Start', 'start'), down: '-start', up: 'start'},
		{
			label: 'Launches',
			num: true,
			down: 'launches',
			up: '-launches',
			value: (c) => c.launches,
			cell: (c) => f.count(c.launches),
		},
		...utilizationColumns({}),
	];
}

const SIGNATURE_COLUMNS = [
	{label: 'Kind', cell: (w) => ({op: 'operator', grid: 'grid'})[w.kind] ?? w.kind},
	{label: 'Name', head: true, class: 'wide', cell: (w) => h('code', {}, w.name)},
	{label: 'Shape', class: 'wide', cell: (w) => h('code', {}, w.size)},
	{label: 'Per iteration', num: true, cell: (w) => f.number(w.per_iteration)},
];

function strataSection(list) {
	return h(
		'section',
		{'aria-labelledby': 'strata'},
		h('h2', {id: 'strata'}, 'Strata'),
		h(
			'p',
			{class: 'hint'},
			'A stratum is the set of iterations with one iteration signature, that is, with the same work. ',
			'Only iterations of the same stratum are compared.',
		),
		h(
			'ol',
			{class: 'strata'},
			list.map((s) =>
				h(
					'li',
					{},
					h('strong', {}, s.text || 'signature unknown'),
					' ',
					h(
						'span',
						{class: 'quiet'},
						[
							f.plural(s.iterations, 'iteration'),
							s.phase,
							s.sequences !== null && `${f.count(s.sequences)} sequences`,
							s.tokens !== null && `${f.count(s.tokens)} tokens`,
							s.kv_tokens !== null && `${f.count(s.kv_tokens)} tokens in the KV cache`,
						]
							.filter(Boolean)
							.join(' · '),
					),
					s.signature.length
						? h(
								'details',
								{class: 'more'},
								h(
									'summary',
									{},
									`Signature: ${f.plural(s.signature_total ?? s.signature.length, 'entry', 'entries')}`,
								),
								table({caption: `Signature of ${s.text}`, columns: SIGNATURE_COLUMNS, rows: s.signature})
									.node,
								s.signature_total > s.signature.length
									? h(
											'p',
											{class: 'hint'},
											`The ${s.signature.length} most frequent of ${f.count(s.signature_total)}.`,
										)
									: null,
							)
						: null,
				),
			),
		),
	);
}

// What a serving engine does per second; null if no iteration is known to be of a phase.
function servingSection({phases, reason}) {
	if (!phases.length) return null;
	const unit = typicalUnit(phases.map((p) => p.median_ns));
	const number = (label, key, title) => ({
		label,
		num: true,
		cell: (p) => (p[key] === null ? f.NONE : f.number(p[key])),
		title,
	});
	const time = (label, key, title) => ({
		label,
		unit,
		num: true,
		cell: (p) => f.inUnit(p[key], unit),
		title: (p) => (p[key] === null ? title : f.exact(p[key])),
	});
	const columns = [
		{label: 'Phase', head: true, cell: (p) => p.phase},
		{label: 'Iterations', num: true, cell: (p) => f.count(p.iterations)},
		time('Median', 'median_ns'),
		time('TPOT', 'tpot_ns', 'only of decode iterations that make one token of each sequence'),
		number('Sequences', 'sequences', () => 'mean per iteration'),
		number('Tokens', 'tokens', () => 'mean per iteration'),
		number('Tokens/s', 'tokens_per_s'),
		number('Tokens/s per GPU', 'tokens_per_s_per_gpu', (p) => (p.tokens_per_s_per_gpu === null ? reason : null)),
	];
	return h(
		'section',
		{'aria-labelledby': 'serving'},
		h('h2', {id: 'serving'}, 'Serving'),
		h(
			'p',
			{class: 'hint'},
			'Of the engine alone: the TPOT and tokens/s of a benchmark also contain the time of requests in ',
			'queues and outside the engine.',
		),
		table({caption: 'Serving', columns, rows: phases}).node,
	);
}

// The server's document, or the failure of its request, which must not hide the iterations.
async function loadEnergy(id, signal) {
	try {
		return await api.energy(id, signal);
	} catch (failure) {
		if (signal.aborted) throw failure;
		return {failure};
	}
}

// The energy of operators on the devices; null if no device could have any.
function energyOperators(doc) {
	const devices = doc.devices.filter((d) => !d.reason);
	if (!devices.length) return null;
	const joules = (value) => (value === null ? f.NONE : f.number(value));
	const idle = (d) =>
		d.idle_w === null
			? ''
			: `Device ${f.plain(d.device)} uses ${joules(d.idle_w)} W (${joules(d.idle_low_w)} to ` +
				`${joules(d.idle_high_w)} W) while nothing is executed. `;
	const reasons = devices
		.filter((d) => d.operators_reason)
		.map((d) =>
			h(
				'p',
				{class: 'notice'},
				`The energy of operators on device ${f.plain(d.device)} is unknown: ${d.operators_reason}.`,
			),
		);
	const columns = [
		{label: 'Operator', head: true, cell: (o) => o.operator},
		{label: 'dtype', cell: (o) => o.dtype ?? f.NONE},
		{label: 'Phase', cell: (o) => o.phase ?? f.NONE},
		{label: 'Device', num: true, cell: (o) => f.plain(o.device)},
		{label: 'GPU time', num: true, cell: (o) => f.duration(o.time_ns)},
		{label: 'Energy per iteration', unit: 'J', num: true, cell: (o) => joules(o.energy_j)},
		{
			label: 'Interval',
			unit: 'J',
			cell: (o) => (o.reason ? f.NONE : `${joules(o.low_j)} to ${joules(o.high_j)}`),
		},
		{label: 'Share', unit: '%', num: true, cell: (o) => joules(o.share_pct)},
	];
	if (doc.operators.some((o) => o.reason))
		columns.push({label: 'Unknown because', class: 'wide', cell: (o) => o.reason ?? ''});
	return [
		h('h3', {}, 'Energy of operators'),
		h(
			'p',
			{class: 'hint'},
			'In addition to the power of the idle device, from windows with different work. ',
			...devices.map(idle),
		),
		...reasons,
		doc.operators.length ? table({caption: 'Energy of operators', columns, rows: doc.operators}).node : '',
	];
}

// The energy of the devices; null if the power of none was sampled.
function energySection(doc) {
	if (doc.failure) return h('p', {class: 'notice'}, `The energy is unavailable: ${doc.failure.message}.`);
	if (!doc.devices.some((d) => d.counter)) return null;
	const joules = (value) => (value === null ? f.NONE : f.number(value));
	const number = (label, unit, key, title) => ({
		label,
		unit,
		num: true,
		cell: (d) => joules(d[key]),
		title,
	});
	const range = (low, high) => `${joules(low)} to ${joules(high)}`;
	const columns = [
		{label: 'Device', head: true, cell: (d) => f.plain(d.device)},
		{label: 'Counter', cell: (d) => (d.counter ? h('code', {}, d.counter) : f.NONE)},
		{label: 'Samples', num: true, cell: (d) => f.count(d.samples)},
		{label: 'Ignored', num: true, cell: (d) => f.count(d.ignored)},
		{label: 'Gaps', num: true, cell: (d) => f.count(d.gaps)},
		number('Power', 'W', 'power_w'),
		number('Energy per iteration', 'J', 'energy_j', (d) => d.reason),
		{label: 'Interval', unit: 'J', cell: (d) => (d.reason ? f.NONE : range(d.low_j, d.high_j))},
	];
	if (doc.devices.some((d) => d.reason))
		columns.push({label: 'Unknown because', class: 'wide', cell: (d) => d.reason ?? ''});
	const found = doc.reason
		? h('p', {class: 'notice'}, `The energy of the run is unknown: ${doc.reason}.`)
		: facts([
				['Energy per iteration', `${joules(doc.energy_j)} J (${range(doc.low_j, doc.high_j)} J)`],
				['Measured over', `${f.plural(doc.iterations, 'iteration')}, ${f.duration(doc.span_ns)}`],
				['Power', `${joules(doc.power_w)} W`],
				[
					'Energy per output token',
					doc.token_j === null
						? h('span', {title: doc.tokens_reason}, f.NONE)
						: `${joules(doc.token_j)} J (${range(doc.token_low_j, doc.token_high_j)} J)`,
				],
			]);
	return h(
		'section',
		{'aria-labelledby': 'energy'},
		h('h2', {id: 'energy'}, 'Energy'),
		h(
			'p',
			{class: 'hint'},
			'From samples of the power of the whole GPU. The intervals come from the ends of the measured time ',
			'and from the sampling; they do not contain errors of the sensor.',
		),
		found,
		table({caption: 'Energy', columns, rows: doc.devices}).node,
		...(energyOperators(doc) ?? []),
	);
}

function durations(doc) {
	const points = doc.items.map((c) => ({value: c.dur_ns, run: 0, number: c.number, use: c.use, label: c.label}));
	const side = {label: 'Iterations', class: 'one', points, lines: [{value: doc.median_ns}]};
	const all = columns(doc.items);
	return chart({
		caption: 'Duration of each iteration',
		rows: doc.items,
		columns: [all[0], all[4], all[2]].map(({up, down, ...c}) => c),
		hint:
			'Each dot is an iteration; hollow dots are excluded from comparisons, ' +
			'and drawn at the edge if they are off the scale. ' +
			'The line is the median of the compared iterations.',
		label: `Durations of ${f.plural(points.length, 'iteration')}, median ${f.duration(doc.median_ns)}`,
		draw: inOrder([side], {
			describe: (_, p) =>
				`iteration ${p.number}${p.label ? ` (${p.label})` : ''}: ${f.duration(p.value)}` +
				(p.use === 'kept' ? '' : `, ${USES[p.use] ?? p.use}`),
		}),
	});
}

// The mean communication of the compared iterations, and how much of it is beside computation;
// null if there is none or it is unknown.
function communication(items) {
	const kept = items.filter((c) => c.use === 'kept' && c.comm_total_ns !== null);
	const sum = (key) => kept.reduce((ns, c) => ns + c[key], 0);
	const total = sum('comm_total_ns');
	if (!total) return null;
	const share = f.percent((100 * sum('comm_overlapped_ns')) / total);
	return `${f.duration(total / kept.length)} per iteration, ${share} % overlaps with computation`;
}

function rangeForm(range, at, run) {
	const input = h('input', {type: 'text', name: 'range', value: range, autocomplete: 'off', spellcheck: 'false'});
	const to = (name) => `/runs/${run.id}?${new URLSearchParams({tab: 'iterations', ...(name ? {range: name} : {})})}`;
	return h(
		'form',
		{
			class: 'bar',
			'aria-label': 'Iterations by range',
			on: {
				submit: (e) => {
					e.preventDefault();
					at.go(to(input.value.trim()));
				},
			},
		},
		field('Range of an iteration', input, 'name of a range; empty: as detected'),
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit'}, 'Show'),
			range ? h('a', {href: to('')}, 'As detected') : null,
		),
	);
}

const nothing = (problem) => h('p', {class: 'notice'}, problem);

export async function iterationTab(run, query, at) {
	const range = query.get('range') ?? '';
	let doc;
	try {
		doc = await api.iterations(
			run.id,
			{range},
			{signal: at.signal, onProgress: (n) => announce(`${f.plural(n, 'iteration')} loaded`)},
		);
	} catch (error) {
		// If a range name matches nothing, a message is shown here and the other parts of
		// the page remain.
		if (!range || (error.status !== 404 && error.status !== 400)) throw error;
		return {
			save: () => at.keep({range}),
			node: h('div', {class: 'part'}, rangeForm(range, at, run), nothing(`${error.message}.`)),
		};
	}
	if (!doc.items.length)
		return {
			save: () => at.keep({range}),
			node: h(
				'div',
				{class: 'part'},
				rangeForm(range, at, run),
				h(
					'p',
					{class: 'quiet'},
					'No iterations were found: nothing repeats in this run, or it has no single launches.',
				),
			),
		};
	const serving =
		!range && doc.strata.some((s) => s.phase) ? await api.serving(run.id, at.signal) : {phases: []};
	const energy = range ? {devices: []} : await loadEnergy(run.id, at.signal);
	const all = columns(doc.items);
	let sort = query.get('sort') ?? 'number';
	const save = () => at.keep({range, sort: sort === 'number' ? '' : sort});
	const shown = table({
		caption: 'Iterations',
		columns: all,
		rows: sorted(doc.items, all, sort),
		sort,
		tall: true,
		onsort: (word) => {
			sort = word;
			shown.update({rows: sorted(doc.items, all, sort), sort});
			save();
		},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			facts([
				['Iterations', `${f.count(doc.kept)} of ${f.count(doc.count)} compared`],
				['Detected by', DETECTORS[doc.detector] ?? doc.detector],
				['Range', doc.range && h('code', {}, doc.range)],
				[
					'Similarity',
					h(
						'span',
						{title: 'share of the GPU time in similar iterations'},
						`${f.percent(doc.confidence * 100)} %`,
					),
				],
				['Communication', communication(doc.items)],
				['Median', h('span', {title: f.exact(doc.median_ns)}, f.duration(doc.median_ns))],
			]),
			servingSection(serving) ?? '',
			energySection(energy) ?? '',
			durations(doc),
			strataSection(doc.strata),
			rangeForm(range, at, run),
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {}, 'All iterations'),
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'iterations', format, {range})),
				),
			),
			shown.node,
		),
	};
}
