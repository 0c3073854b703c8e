// run_overview.js - tab: the overview of a run: why it is slow, how its GPUs are utilized, which
// kernels take the most time and how they changed against main, the longest gaps, the roofline.
// Each part is loaded separately.

import * as api from '../lib/api.js';
import {largestUnit, share, timeColumn} from '../lib/columns.js';
import {compareUrl, classText, CLASSES, headline, MAIN_LAST} from '../lib/comparison.js';
import {CAUSES, causeText, noCauseText} from '../lib/diagnosis.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import * as o from '../lib/operators.js';
import {missingText, partList} from '../lib/parts.js';
import {missingDetail} from '../lib/run_content.js';
import {rooflineDoc} from '../lib/run_roofline.js';
import {table} from '../lib/table.js';
import {rooflinePlot} from './importance_tables.js';
import {diagnosisCard} from './run_diagnosis.js';
import {FRAME_KINDS} from './run_kernels.js';
import {utilizationTotals} from './run_operators.js';

const TOP_KERNELS = 8;
const LONGEST_GAPS = 10;
const PATH_SHOWN = 3;
// A cause below this part of a gap explains nothing.
const SHOWN_CAUSE = 0.01;

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// ---- utilization

function busyTotals(diagnosis) {
	if (diagnosis.busy_ns === null) return [total('GPU busy', f.NONE, `unknown: ${diagnosis.reason}`)];
	const wall = diagnosis.busy_ns + diagnosis.idle_ns;
	return [
		total(
			diagnosis.iterations === 1 ? 'Iteration' : 'Mean iteration',
			f.duration(wall / diagnosis.iterations),
			`${f.exact(wall)} in ${f.plural(diagnosis.iterations, 'kept iteration')}`,
		),
		total(
			'GPU busy',
			wall > 0 ? `${f.percent((100 * diagnosis.busy_ns) / wall)} %` : f.NONE,
			'time of the kept iterations in which a kernel, a copy or a set runs on any GPU of the run',
		),
	];
}

function utilization(diagnosis, operators) {
	return [
		h(
			'dl',
			{class: 'totals'},
			busyTotals(diagnosis),
			utilizationTotals(operators).map((of) => total(...of)),
			total('Headroom', o.shareOfPercent(operators.headroom_pct), 'share of the GPU time above the roofline bound'),
		),
		operators.mfu === null
			? h('p', {class: 'hint'}, `MFU and MBU are unknown: ${operators.utilization_reason}.`)
			: null,
	].filter(Boolean);
}

// ---- kernels with the most time

const kernelUrl = (run, id) => `/runs/${run.id}?${f.query(new URLSearchParams({tab: 'kernels', kernel: id}))}#panel`;

// The changes of functions by the names of the head's kernels. A kernel on several devices has
// several rows; the one with the most time of the head is shown.
export function changesByKernel(items) {
	const out = new Map();
	for (const row of items)
		for (const name of row.head_functions.length ? row.head_functions : [row.function]) {
			const other = out.get(name);
			if (!other || other.head_ns_per_iteration < row.head_ns_per_iteration) out.set(name, row);
		}
	return out;
}

const changeText = (row) => (row.ratio === null || row.ratio === undefined ? f.NONE : f.changeOf(row.ratio));

function changeCell(changes, kernel) {
	const row = changes?.get(kernel.name);
	if (!row || row.verdict === null) return f.NONE;
	return h(
		'span',
		{class: `class ${row.verdict}`},
		h('span', {'aria-hidden': 'true'}, `${CLASSES[row.verdict].mark} `),
		row.verdict === 'appeared' ? 'new' : changeText(row),
	);
}

function changeTitle(changes, kernel) {
	const row = changes?.get(kernel.name);
	if (!row) return changes ? 'the comparison has no such function' : 'no comparison with main';
	return row.verdict === null ? 'no verdict' : `${classText(row.verdict)}: ${CLASSES[row.verdict].description}`;
}

function kernelTable(run, items, changes) {
	const unit = largestUnit(items.map((k) => k.total_ns));
	const columns = [
		{
			label: 'Kernel',
			head: true,
			class: 'kernel',
			cell: (k) => h('a', {href: kernelUrl(run, k.id)}, h('code', {}, h('bdi', {}, k.distinct_name || k.name))),
			title: (k) => `${k.name}\nOpens its callers.`,
		},
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (k) => share(k.time_pct)},
		timeColumn('Total', 'total', unit),
		{
			label: 'Against main',
			num: true,
			cell: (k) => changeCell(changes, k),
			title: (k) => changeTitle(changes, k),
		},
	].map(({up, down, ...column}) => column);
	return table({caption: 'Kernels with the most time', columns, rows: items}).node;
}

const mainQuery = () => `label.branch=main last=${MAIN_LAST}`;

// The comparison of this run with the newest runs of main that were stored before it; a sentence in
// its place if there is none.
async function againstMain(run, at) {
	if (missingDetail(run)) return {sentence: ['Only a run with single launches is compared with main here.']};
	if (run.main_run === null)
		return {sentence: ['No older run of this project and workload has the label branch=main.']};
	const params = {base: mainQuery(), head: String(run.id)};
	const doc = await api.compare(params, at.signal);
	return {
		changes: changesByKernel(doc.items),
		sentence: [headline(doc), '. ', h('a', {href: compareUrl(params)}, 'Comparison with main')],
	};
}

async function topKernels(run, at) {
	const {items, next} = await api.topKernels(run.id, TOP_KERNELS, at.signal);
	if (!items.length) return h('p', {class: 'quiet'}, 'This run has no kernels.');
	const place = h('div', {}, kernelTable(run, items, null));
	const main = h('p', {class: 'hint main-line', role: 'status'}, 'Comparing with main…');
	againstMain(run, at).then(
		({changes, sentence}) => {
			main.replaceChildren(...sentence);
			if (changes) place.replaceChildren(kernelTable(run, items, changes));
		},
		(error) => at.signal.aborted || main.replaceChildren(`The comparison with main is missing: ${missingText(error)}.`),
	);
	return [
		place,
		main,
		next || run.kernels > items.length
			? h('p', {}, h('a', {href: `/runs/${run.id}?tab=kernels#panel`}, `All ${f.plural(run.kernels, 'kernel')}`))
			: '',
	];
}

// ---- the longest gaps

function recordCell(run, r, missing) {
	if (!r) return h('span', {class: 'quiet'}, missing);
	const name = h('code', {title: r.name}, h('bdi', {}, r.short_name));
	return r.kernel === null ? name : h('a', {href: kernelUrl(run, r.kernel)}, name);
}

const streamText = (r) =>
	r && r.device !== null ? `GPU ${r.device}${r.stream === null ? '' : `, stream ${r.stream}`}` : '';

const causeName = (c) => CAUSES[c.cause]?.label.replace('Idle: ', '') ?? c.cause;

function causeCell(gap) {
	const [first, ...others] = gap.causes;
	const rest = others.filter((c) => c.time_ns >= SHOWN_CAUSE * gap.time_ns);
	return [
		h('span', {class: `timeline-swatch ${first.cause}`, 'aria-hidden': 'true'}),
		' ',
		h('span', {class: 'gap-cause'}, f.capital(causeName(first))),
		first.cause === 'unknown'
			? h('span', {class: 'quiet'}, gap.call ? ': the launch had returned' : ': no API call of the next work')
			: '',
		rest.length
			? h(
					'span',
					{class: 'quiet'},
					` ${f.percent((100 * first.time_ns) / gap.time_ns)} %, then ${rest.map(causeName).join(', ')}`,
				)
			: '',
	];
}

const KINDS = {...FRAME_KINDS, call: 'call'};

function hostCell({host, call, time_ns: time}) {
	return [
		host
			? h(
					'div',
					{title: `${host.name}\nin it for ${f.exact(host.time_ns)} without a change`},
					`${KINDS[host.kind]} `,
					h('code', {}, h('bdi', {}, host.name)),
					h('span', {class: 'quiet'}, ` ${f.percent((100 * host.time_ns) / time)} %`),
				)
			: null,
		call ? h('div', {class: 'quiet'}, 'launch: ', h('code', {}, h('bdi', {}, call))) : null,
		!host && !call ? f.NONE : null,
	].filter(Boolean);
}

// A source file with the last folder of its path.
const stepName = ({name}) => name.replace(/^.*\/(?=[^/]+\/[^/]+\.py\()/, '');

// The innermost steps; the title has all of them, with full paths.
function pathCell({path}) {
	if (!path.length) return f.NONE;
	const seen = path.slice(-PATH_SHOWN);
	return h(
		'span',
		{class: 'gap-path', title: path.map((s) => s.name).join(' › ')},
		path.length > seen.length ? '… › ' : '',
		seen.map((s, i) => [i ? ' › ' : '', h('bdi', {}, stepName(s))]).flat(),
	);
}

const causeTitle = (g) =>
	g.causes[0].cause === 'unknown' ? f.capital(noCauseText(g)) : CAUSES[g.causes[0].cause]?.description;

// The timeline at a gap, with the time around it.
const GAP_MARGIN = 0.25;
const gapUrl = (run, {start_ns: start, time_ns: time}) => {
	const around = Math.ceil(GAP_MARGIN * time);
	const range = {from: Math.max(0, start - around), to: start + time + around};
	return `/runs/${run.id}?${f.query(new URLSearchParams({tab: 'timeline', ...range}))}#panel`;
};

// The longest gap in a sentence: how long, between which records, and why.
function longestGap(run, [g]) {
	const [{cause}] = g.causes;
	return h(
		'p',
		{class: 'longest-gap'},
		`The longest gap takes ${f.duration(g.time_ns)}, ${f.percent(g.share_pct)} % of the idle time, between `,
		recordCell(run, g.before, 'the start of the recording'),
		' and ',
		recordCell(run, g.after, 'the end of the recording'),
		cause === 'unknown'
			? `. Its cause is not recorded: ${noCauseText(g)}. `
			: `. Its largest cause is ${causeText(cause)} `,
		h('a', {href: gapUrl(run, g)}, 'Longest gap in the timeline'),
	);
}

function gapTable(run, doc) {
	const unit = f.columnUnit(doc.items[0].time_ns);
	return table({
		caption: 'Longest gaps',
		rows: doc.items,
		columns: [
			{
				label: 'Gap',
				unit,
				num: true,
				head: true,
				cell: (g) => h('a', {href: gapUrl(run, g)}, f.inUnit(g.time_ns, unit)),
				title: (g) => `Opens the timeline at this gap: ${f.exact(g.time_ns)}, from ${f.exact(g.start_ns)} on, in iteration ${g.iteration}`,
			},
			{label: 'Of idle', unit: '%', num: true, cell: (g) => share(g.share_pct)},
			{label: 'Cause', class: 'gap-text', cell: causeCell, title: causeTitle},
			{
				label: 'Before',
				class: 'gap-record',
				cell: (g) => recordCell(run, g.before, 'start of the recording'),
				title: (g) => streamText(g.before),
			},
			{
				label: 'After',
				class: 'gap-record',
				cell: (g) => recordCell(run, g.after, 'end of the recording'),
				title: (g) => streamText(g.after),
			},
			{label: 'Host', class: 'gap-text', cell: hostCell},
			{label: 'Launched by', class: 'gap-text', cell: pathCell},
		],
	}).node;
}

async function longestGaps(run, at) {
	if (missingDetail(run)) return h('p', {class: 'quiet'}, 'Gaps are unknown, because this run has no timeline.');
	const doc = await api.gaps(run.id, LONGEST_GAPS, at.signal);
	if (doc.reason) return h('p', {class: 'quiet'}, `Gaps are unknown: ${doc.reason}.`);
	if (!doc.items.length) return h('p', {class: 'quiet'}, 'The GPU is never idle in the kept iterations.');
	const shown = doc.items.reduce((sum, g) => sum + g.time_ns, 0);
	return [
		longestGap(run, doc.items),
		h(
			'p',
			{class: 'hint'},
			`In a gap nothing runs on any GPU of the run. The kept iterations have ${f.plural(doc.gaps, 'gap')}, ` +
				`${f.duration(doc.idle_ns)} in all` +
				(doc.gaps > doc.items.length
					? `; the ${doc.items.length} longest are ${f.percent((100 * shown) / doc.idle_ns)} % of it.`
					: '.'),
		),
		gapTable(run, doc),
	];
}

// ---- the roofline

async function runRoofline(operators) {
	const doc = await operators();
	if (!doc.platform)
		return h('p', {class: 'quiet'}, 'There is no roofline, because the platform of the run is unknown.');
	if (!doc.platform_peaks)
		return h('p', {class: 'quiet'}, `There is no roofline: the catalog has no platform ${doc.platform}.`);
	const plot = rooflinePlot(rooflineDoc(doc), {
		one: () => null,
		shapes: () => [],
		all: () => {},
		changed: () => {},
		weightName: 'share of GPU time',
	});
	return h('div', {class: 'roofline'}, plot.body);
}

// Several parts show one answer. A failed request is sent again when it is needed again.
function shared(load) {
	let pending = null;
	return () =>
		(pending ??= load().catch((error) => {
			pending = null;
			throw error;
		}));
}

export async function overviewTab(run, at, tabs) {
	const part = partList(at.signal);
	const operators = shared(() => api.operators(run.id, {}, at.signal));
	const diagnosis = shared(() => api.diagnosis(run.id, at.signal));
	const node = h(
		'div',
		{class: 'part'},
		h(
			'div',
			{class: 'overview'},
			part('Why is it slow', 'The causes are', async () => diagnosisCard(await diagnosis(), tabs)),
			h(
				'div',
				{class: 'part'},
				part('Utilization', 'Utilization is', async () => utilization(await diagnosis(), await operators())),
				part('Kernels with the most time', 'Kernels are', () => topKernels(run, at)),
			),
		),
		part('Longest gaps', 'Gaps are', () => longestGaps(run, at)),
		part('Roofline', 'The roofline is', () => runRoofline(operators)),
	);
	return {node};
}
