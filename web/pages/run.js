// run.js - one run: its comparison with main, its details, and its tables as tabs. The first tab is
// the overview.

import * as api from '../lib/api.js';
import {breakdownUrl} from '../lib/breakdown_compare.js';
import {contentMark, fileLink, largestUnit} from '../lib/columns.js';
import {compareUrl, headSide, MAIN_LAST, MAX_LAST} from '../lib/comparison.js';
import {errorNotes, noteBadge, worstSeverity} from '../lib/findings.js';
import {facts, h, tags} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {lateScript} from '../lib/late_script.js';
import {showFailure} from '../lib/notices.js';
import * as perfetto from '../lib/perfetto.js';
import {launchCount, missingDetail, opaqueShare, unknownTitle} from '../lib/run_content.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';
import {flameTab} from './run_flame.js';
import {graphSection, kernelTab} from './run_kernels.js';
import {runManager} from './run_manage.js';
import {operatorTab} from './run_operators.js';
import {overviewTab} from './run_overview.js';

// The upper part of a run's page: notes, facts, totals, devices.

// Shown above each table of a run without launches.
function missingLine(run) {
	const kind = missingDetail(run);
	return kind ? h('p', {class: 'notice'}, contentMark(run), ' ', kind.sentence) : null;
}

// If graph replays were recorded as one piece, the kernel table is incomplete. The page begins with
// a warning about this.
function graphBanner(run) {
	const share = opaqueShare(run);
	if (share === null) return null;
	return h(
		'section',
		{class: 'banner', 'aria-labelledby': 'opaque'},
		h('h2', {id: 'opaque'}, `${f.shareOf(share)} of this run's GPU time is not in its kernel table`),
		h(
			'p',
			{},
			`${f.plural(run.graphs, 'replay')} of CUDA graphs, ${f.duration(run.graph_ns)} in all, `,
			`${run.graphs === 1 ? 'was' : 'were'} recorded as one piece: their kernels are unknown. `,
			`The kernel table shows the other ${f.duration(run.kernel_ns)}.`,
		),
		h('p', {}, 'To record these kernels, use ', h('code', {}, 'nsys profile --cuda-graph-trace=node'), '.'),
	);
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

const time = (run, label, ns) => total(label, f.duration(ns), ns === null ? unknownTitle(run) : f.exact(ns));

// A run that was uploaded as a table without copies may still have had copies.
function copies(run) {
	const known = !missingDetail(run) || run.copies > 0;
	return [
		time(run, 'Copy time', known ? run.copy_ns : null),
		total('Copies', known ? f.count(run.copies) : f.NONE, known ? null : unknownTitle(run)),
	];
}

function totals(run) {
	const graphs = run.graphs > 0;
	return h(
		'dl',
		{class: 'totals'},
		time(run, graphs ? 'Kernels and graphs busy' : 'Kernels busy', run.busy_ns),
		time(run, 'Span', run.span_ns),
		graphs ? time(run, 'Graph replay time', run.graph_ns) : null,
		time(run, graphs ? 'Kernel time outside graphs' : 'Kernel time', run.kernel_ns),
		total('Launches', launchCount(run)),
		total(graphs ? 'Kernels outside graphs' : 'Kernels', f.count(run.kernels)),
		...copies(run),
	);
}

// What identifies the run for people, in one line.
function identity(run) {
	return facts([
		['Project', run.project],
		['Workload', run.workload],
		['Labels', Object.keys(run.labels).length ? tags(run.labels) : null],
		['Job', run.job_id ? h('a', {href: `/jobs/${run.job_id}`}, run.job || `#${run.job_id}`) : run.job],
		['Rank', f.rank(run.rank, run.world_size)],
		['GPU', deviceNames(run)],
	]);
}

// "2 × NVIDIA H100"
function deviceNames({devices}) {
	const counts = new Map();
	for (const {name} of devices.filter((d) => d.name)) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].map(([name, n]) => (n > 1 ? `${n} × ${name}` : name)).join(', ');
}

function process(run) {
	const name = [run.process_name, run.pid === null ? null : `pid ${run.pid}`].filter(Boolean).join(', ');
	return facts([
		['Process', name],
		['Host', run.host],
		['Framework', run.framework],
		['Format', run.format],
		['Started', run.started_at && f.moment(run.started_at)],
		['Added', f.moment(run.created_at)],
		['Upload', h('a', {href: `/runs?upload=${run.upload}`}, `#${run.upload}, all its runs`)],
	]);
}

// Compares the run with main by one click. The base is a query, which the user can change.
function mainForm(run, at) {
	const base = h('input', {
		type: 'text',
		name: 'base',
		value: 'label.branch=main',
		required: true,
		autocomplete: 'off',
		spellcheck: 'false',
		'aria-label': 'Base of the comparison',
		title: 'a query for the base: label.branch=main, project=…, workload=…; by default of the same project and workload',
	});
	const last = h('input', {
		type: 'number',
		name: 'last',
		value: MAIN_LAST,
		min: 1,
		max: MAX_LAST,
		required: true,
		'aria-label': 'Newest runs of the base',
	});
	const submit = (e) => {
		e.preventDefault();
		at.go(compareUrl({base: `${base.value.trim()} last=${last.value}`, head: headSide(run)}));
	};
	return h(
		'form',
		{class: 'main-form', 'aria-label': 'Comparison with main', on: {submit}},
		h('button', {type: 'submit', class: 'main'}, 'Compare with main'),
		base,
		h('span', {class: 'quiet', 'aria-hidden': 'true'}, 'newest'),
		last,
	);
}

// The comparison with main if main has a run of this workload, and a link to the list of runs of the
// same workload, with this run ticked as head. Without a run of main, this link is the main action.
function compareBar(run, at) {
	const q = new URLSearchParams(
		Object.entries({project: run.project, workload: run.workload, head: run.id}).filter(([, value]) => value),
	);
	const {iterations} = run;
	const main = run.main_run !== null;
	return h(
		'div',
		{class: 'line compare-line'},
		main ? mainForm(run, at) : null,
		h('a', {class: main ? 'button plain' : 'button', href: `/runs?${q}`}, 'Compare with…'),
		main ? null : h('span', {class: 'quiet'}, 'main has no earlier run of this workload (label branch=main).'),
		run.job_id ? h('a', {href: `/jobs/${run.job_id}`}, 'Ranks of the job') : null,
		iterations?.count
			? h(
					'a',
					{href: `/runs/${run.id}?tab=iterations`},
					`${f.count(iterations.kept)} of ${f.plural(iterations.count, 'iteration')} compared`,
					iterations.median_ns === null ? '' : `, median ${f.duration(iterations.median_ns)}`,
				)
			: null,
		run.layers?.count ? h('a', {href: `/runs/${run.id}?tab=layers`}, f.plural(run.layers.count, 'layer')) : null,
		run.layers?.count ? h('a', {href: breakdownUrl([run.id])}, 'Compare layer by layer…') : null,
	);
}

function deviceTable(run) {
	const {devices} = run;
	if (!devices.length) return h('p', {class: 'quiet'}, 'The trace has no devices.');
	const busy = largestUnit(devices.map((d) => d.busy_ns));
	const columns = [
		{label: 'Device', num: true, cell: (d) => f.count(d.number)},
		{label: 'Name', head: true, cell: (d) => d.name ?? f.NONE},
		{label: 'SMs', num: true, cell: (d) => f.count(d.sm_count)},
		{label: 'Compute', num: true, cell: (d) => d.compute ?? f.NONE},
		{label: 'Memory', num: true, cell: (d) => f.bytes(d.memory_bytes)},
		{label: 'Launches', num: true, cell: (d) => f.count(d.launches)},
		{
			label: 'Busy',
			unit: busy,
			num: true,
			cell: (d) => f.inUnit(d.busy_ns, busy),
			title: (d) => (d.busy_ns === null ? unknownTitle(run) : f.exact(d.busy_ns)),
		},
		{
			label: 'SM clock',
			unit: 'MHz',
			num: true,
			cell: (d) => f.count(d.sm_clock_mhz && Math.round(d.sm_clock_mhz)),
			title: (d) =>
				d.sm_clock_mhz
					? `mean while kernels ran, from ${f.plural(d.sm_clock_samples, 'sample')}`
					: `unknown: ${d.sm_clock_reason ?? 'the run was analyzed before SM clocks were used'}`,
		},
	];
	return table({caption: 'Devices', columns, rows: devices}).node;
}

// The run as a timeline: opened in the Perfetto UI, or downloaded.

function opener(run, name, at) {
	const where = api.runFile(run.id, 'timeline');
	const state = h('span', {class: 'quiet', role: 'status'});
	const amount = h('span', {class: 'quiet'});
	const button = h(
		'button',
		{type: 'button', 'aria-describedby': 'perfetto-hint', on: {click: open}},
		'Open in Perfetto',
	);
	let busy = false;

	function setState(text) {
		busy = text === 'opening…';
		button.setAttribute('aria-disabled', busy);
		state.textContent = text;
		amount.textContent = '';
	}

	async function open() {
		if (busy) return;
		setState('opening…');
		try {
			await perfetto.show(
				(signal) =>
					api.bytes(where, {
						signal,
						onProgress: (n) => {
							amount.textContent = `${f.bytes(n)} of the trace loaded`;
						},
					}),
				{title: name, fileName: `run-${run.id}.trace.json`, url: `${location.origin}/runs/${run.id}`},
				{signal: at.signal},
			);
			setState('opened');
		} catch (error) {
			setState('');
			if (!at.signal.aborted) showFailure(error, open);
		}
	}

	return {button, state: [state, amount]};
}

function timelineBar(run, name, at) {
	const capture = fileLink('Capture file (.kst)', api.runFile(run.id, 'capture'), `run-${run.id}.kst`);
	if (missingDetail(run))
		return h(
			'section',
			{class: 'timeline', 'aria-label': 'Timeline'},
			h(
				'div',
				{class: 'line'},
				capture,
				h('span', {class: 'quiet'}, missingDetail(run).timeline),
			),
		);
	const {button, state} = opener(run, name, at);
	return h(
		'section',
		{class: 'timeline', 'aria-label': 'Timeline'},
		h(
			'div',
			{class: 'line'},
			button,
			fileLink('Chrome trace', api.runFile(run.id, 'timeline'), `run-${run.id}.trace.json`),
			capture,
			state,
		),
		h(
			'p',
			{class: 'hint', id: 'perfetto-hint'},
			'Perfetto opens in a new tab from ',
			h('span', {'data-perfetto-host': true}, perfetto.address().host),
			'. ',
			'The trace is passed to that tab inside your browser and is not sent to any server. ',
			'If Perfetto shows a dialog, confirm that you trust this page.',
		),
	);
}

async function kernels(run, query, at) {
	const [graphs, {node, save}] = await Promise.all([graphSection(run, at), kernelTab(run, query, at)]);
	if (!graphs)
		return {save, node: h('div', {class: 'part'}, h('h2', {class: 'visually-hidden'}, 'Kernels'), node)};
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			graphs,
			h('section', {'aria-labelledby': 'kernels'}, h('h2', {id: 'kernels'}, 'Kernels outside graphs'), node),
		),
	};
}

// What is needed rarely: the process, sums over the recording, and files.
function drawer(run, name, at) {
	return h(
		'details',
		{class: 'more drawer'},
		h('summary', {}, 'Details: process, upload, totals, timeline'),
		process(run),
		totals(run),
		timelineBar(run, name, at),
	);
}

// A tab of the script that is loaded when it is needed.
const late = (name) => async (...args) => (await lateScript())[name](...args);

const PARTS = [
	['overview', 'Overview', (run, query, at) => overviewTab(run, at, Object.fromEntries(PARTS))],
	['kernels', 'Kernels', kernels],
	['flame', 'Flame graph', flameTab],
	['timeline', 'Timeline', late('timelineTab')],
	['operators', 'Operators', operatorTab],
	['layers', 'Layers', late('layerTab')],
	['groups', 'Launched together', late('groupTab')],
	['launches', 'Launch latency', late('launchTab')],
	['iterations', 'Iterations', late('iterationTab')],
	['patterns', 'Functions per iteration', late('patternTab')],
	['measures', 'Measures', late('measureTab')],
	['copies', 'Copies and sets', late('copyTab')],
	['devices', 'Devices', (run) => ({node: deviceTable(run)})],
];

// The tab that an address shows. The kernels were the first tab once, so an address without a tab
// that has their state shows them.
const KERNEL_STATE = ['by', 'sort', 'q', 'names', 'unit', 'kernel'];
const chosenTab = (query) =>
	query.get('tab') ?? (KERNEL_STATE.some((key) => query.has(key)) ? 'kernels' : PARTS[0][0]);

// Removes the state of other tabs, because the address contains only that of the visible tab.
function clear(at, tab) {
	const removed = [...new URLSearchParams(location.search).keys()].map((key) => [key, '']);
	at.keep({...Object.fromEntries(removed), tab: tab === PARTS[0][0] ? '' : tab});
}

// The notes of the severity error are shown at once, the others when their badge is opened. A failure
// to load them must not hide the run.
async function noteParts(run, at) {
	const load = async () => (await api.notes(run.id, at.signal)).items;
	if (run.worst_note !== 'error') return {errors: null, badge: noteBadge(run.worst_note, run.notes, load)};
	let items;
	try {
		items = await load();
	} catch (error) {
		if (at.signal.aborted) throw error;
		items = [{severity: 'error', message: `The notes of this run are missing: ${error.message}.`}];
	}
	const rest = items.filter((n) => n.severity !== 'error');
	return {errors: errorNotes(items), badge: noteBadge(worstSeverity(rest), rest.length, async () => rest)};
}

export async function page(view, query, at) {
	const run = await api.run(at.id, at.signal);
	const name = run.name || `run ${run.id}`;
	const chosen = chosenTab(query);
	const [{errors, badge}, parts] = await Promise.all([
		noteParts(run, at),
		tabs({
			label: 'Tables of this run',
			chosen,
			leave: (tab) => clear(at, tab),
			failed: (error, again) => at.signal.aborted || showFailure(error, again),
			parts: PARTS.filter(([id]) => id !== 'measures' || run.measures).map(([id, label, load]) => ({
				id,
				label,
				href: id === PARTS[0][0] ? `/runs/${run.id}` : `/runs/${run.id}?tab=${id}`,
				load: async () => {
					const {node, save} = await load(run, id === chosen ? query : new URLSearchParams(), at);
					const line = id === PARTS[0][0] ? null : missingLine(run);
					return {save, node: h('div', {class: 'part'}, line, node)};
				},
			})),
		}),
	]);

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/runs'}, 'Runs'), ` / #${run.id}`),
		h('div', {class: 'title'}, h('h1', {}, name), contentMark(run) ?? '', badge ?? ''),
		graphBanner(run) ?? '',
		errors ?? '',
		identity(run),
		compareBar(run, at),
		runManager(run, at),
		drawer(run, name, at),
		...parts,
	);
	return name;
}
