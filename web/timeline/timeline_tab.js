// timeline_tab.js - tab: the timeline of a run, with sums of what is in view. The address contains
// the window and the selected kernel.

import * as api from '../lib/api.js';
import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import {timeline} from './timeline_chart.js';
import {causeText, keyOf, nameText, stripLabel} from './timeline_terms.js';
import {largestUnit, share} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {missingDetail} from '../lib/run_content.js';
import {table} from '../lib/table.js';

const KERNELS = 12;
const OVERVIEW_PX = 2000;

const swatch = (look) => h('span', {class: `timeline-swatch ${look}`, 'aria-hidden': 'true'});
const kernelLink = (run, id) => `/runs/${run.id}?tab=kernels&kernel=${id}`;
const sum = (rows) => rows.reduce((ns, r) => ns + r.time_ns, 0);

// The name of a kernel, with a button that highlights it in the drawing.
function kernelCell(run, row, looks, picked, pick) {
	const look = looks.get(keyOf(row)) ?? 'other';
	const is = row.id !== null && String(row.id) === picked;
	return h(
		'span',
		{class: 'timeline-kernel'},
		row.id === null
			? swatch(look)
			: h(
					'button',
					{
						type: 'button',
						class: 'timeline-pick',
						'aria-pressed': String(is),
						'aria-label': `Highlight ${nameText(row)}`,
						title: 'Highlight in the timeline',
						on: {click: () => pick(is ? null : row)},
					},
					swatch(look),
				),
		row.id === null ? nameText(row) : h('a', {href: kernelLink(run, row.id)}, h('bdi', {}, row.name)),
	);
}

// Kernels of a window: launches, time and share of all kernel time in it.
function kernelTable(run, doc, looks, {all, picked, pick}) {
	const rows = doc.names.filter(({kind}) => kind === 'kernel');
	const total = sum(rows);
	const unit = largestUnit(rows.map((r) => r.time_ns));
	const columns = [
		{
			label: 'Kernel',
			head: true,
			class: 'wide',
			cell: (r) => kernelCell(run, r, looks, picked, pick),
		},
		{label: 'Launches', num: true, cell: (r) => f.count(r.count)},
		{label: 'Time', unit, num: true, cell: (r) => f.inUnit(r.time_ns, unit), title: (r) => f.exact(r.time_ns)},
		{label: 'Share', unit: '%', num: true, cell: (r) => share(total ? (r.time_ns * 100) / total : 0)},
	];
	return table({
		caption: 'Kernels in view',
		columns,
		rows: all ? rows : rows.slice(0, KERNELS),
		tall: true,
		empty: 'No kernel runs in this window.',
	}).node;
}

const OTHERS = [
	['copy', 'copy', 'copies'],
	['set', 'memory set'],
	['graph', 'graph replay'],
];

const legend = (label, items) =>
	items.length
		? h(
				'div',
				{class: 'timeline-legend'},
				h('span', {class: 'quiet'}, label),
				h(
					'ul',
					{'aria-label': label},
					items.map(([look, text, ns]) => h('li', {title: f.exact(ns)}, swatch(look), `${text}: ${f.duration(ns)}`)),
				),
			)
		: null;

const neverIdle = ({strips}) =>
	strips.some(({kind}) => kind === 'stream')
		? 'The GPU is never idle in this window.'
		: 'This run has no records of a GPU.';

// The legends: idle time by cause, and what else streams do; with their time in the window.
function legends(doc) {
	const causes = doc.names
		.filter(({kind}) => kind === 'cause')
		.map((c) => [c.name, causeText(c.name), c.time_ns]);
	const others = OTHERS.flatMap(([kind, one, many]) => {
		const rows = doc.names.filter((n) => n.kind === kind);
		const n = rows.reduce((total, r) => total + r.count, 0);
		return n ? [[kind, f.plural(n, one, many), sum(rows)]] : [];
	});
	return [
		legend('GPU idle because', causes) ?? h('p', {class: 'quiet'}, neverIdle(doc)),
		legend('On streams', others),
	].filter(Boolean);
}

// What each strip shows, as a table.
function stripTable(doc) {
	const rows = doc.strips.map((strip) => ({
		label: stripLabel(strip) || `level ${strip.depth + 1} of thread ${strip.thread ?? ''}`,
		count: strip.count.reduce((n, v) => n + v, 0),
		busy_ns: strip.busy_ns.reduce((n, v) => n + v, 0),
	}));
	const unit = largestUnit(rows.map((r) => r.busy_ns));
	return table({
		caption: 'Strips in view, data',
		columns: [
			{label: 'Strip', head: true, cell: (r) => r.label},
			{label: 'Items', num: true, cell: (r) => f.count(r.count)},
			{label: 'Time', unit, num: true, cell: (r) => f.inUnit(r.busy_ns, unit), title: (r) => f.exact(r.busy_ns)},
		],
		rows,
		tall: true,
	}).node;
}

const spanText = ({from_ns: from, to_ns: to}) => `${f.duration(to - from)} from ${f.duration(from)}`;

// The tables below the drawing. update(doc, range) shows another window; mark(id) marks the
// highlighted kernel; pick(row or null) is called when a reader highlights one.
function totals(run, looks, pick) {
	const heading = h('h2', {id: 'timeline-totals'});
	const [kernels, causes, strips] = [h('div'), h('div', {class: 'part'}), h('div')];
	const more = h('button', {type: 'button', on: {click: () => { all = !all; draw(); }}});
	const data = h('details', {class: 'numbers', on: {toggle: () => draw()}}, h('summary', {}, 'Data table'), strips);
	let all = false;
	let doc = null;
	let ofRange = false;
	let picked = '';

	function draw() {
		const n = doc.names.filter(({kind}) => kind === 'kernel').length;
		heading.textContent = `Kernels in ${ofRange ? 'the selected range' : 'view'}: ${spanText(doc)}`;
		kernels.replaceChildren(kernelTable(run, doc, looks, {all, picked, pick}));
		more.hidden = n <= KERNELS;
		more.textContent = all ? `Show ${KERNELS} rows` : `Show all ${f.plural(n, 'row')}`;
		causes.replaceChildren(...legends(doc));
		strips.replaceChildren(data.open ? stripTable(doc) : '');
	}

	return {
		node: h('section', {'aria-labelledby': 'timeline-totals'}, causes, heading, kernels, h('div', {class: 'line'}, more), data),
		mark(id) {
			picked = id;
			draw();
		},
		update(next, range) {
			doc = next;
			ofRange = range;
			draw();
		},
	};
}

const number = (text) => (/^\d+$/.test(text ?? '') ? Number(text) : null);

// The window of the address; null: the whole run.
function windowOf(query, end) {
	const [from, to] = [number(query.get('from')), number(query.get('to'))];
	return from === null || to === null || from >= to || from >= end ? null : {from, to: Math.min(to, end)};
}

// What the drawing leaves out.
function caveats(doc) {
	const hidden = doc.strips_total - doc.strips.length;
	const deeper = doc.deeper_ranges;
	const [are, them] = hidden === 1 ? ['is', 'it'] : ['are', 'them'];
	const lines = [
		hidden > 0
			? `${f.plural(hidden, 'strip')} of ${f.count(doc.strips_total)} ${are} not drawn; the sums include ${them}.`
			: null,
		deeper ? `${f.plural(deeper, 'range')} below nesting level 8 ${deeper === 1 ? 'is' : 'are'} not drawn.` : null,
	].filter(Boolean);
	return lines.length ? h('p', {class: 'hint'}, lines.join(' ')) : null;
}

export async function timelineTab(run, query, at) {
	if (missingDetail(run)) return {node: h('p', {class: 'quiet'}, missingDetail(run).timeline)};
	const {doc, refusal} = await answerOrRefusal(api.timelineStrips(run.id, {pixels: OVERVIEW_PX}, at.signal));
	if (refusal) return {node: refusalLine(refusal, `/runs/${run.id}?tab=timeline`)};
	if (!doc.strips.length)
		return {node: h('p', {class: 'quiet'}, 'This run has no timeline: it has no kernels, copies or ranges.')};

	const failed = h('p', {class: 'notice', role: 'alert', hidden: true});
	const details = h('p', {class: 'timeline-details', role: 'status'});
	const rangeLine = h('p', {class: 'line', hidden: true});
	const kept = {from: query.get('from') ?? '', to: query.get('to') ?? '', kernel: query.get('kernel') ?? ''};
	let range = null;
	let view = doc;
	let rangeRequest = null;

	const save = () => at.keep(kept);

	function fail(error, again) {
		failed.hidden = false;
		failed.replaceChildren(
			`Finer data of this window is missing: ${error.message}. `,
			h('button', {type: 'button', on: {click: () => { failed.hidden = true; again(); }}}, 'Try again'),
		);
	}

	// Shows what is selected: a kernel with its link, another item, or nothing.
	function describe(name, text) {
		const linked = name?.kind === 'kernel' && name.id !== null;
		kept.kernel = linked ? String(name.id) : '';
		save();
		const link = linked ? h('a', {href: kernelLink(run, name.id)}, 'Open in Kernels') : '';
		details.replaceChildren(h('bdi', {}, text), ' ', link);
		below.mark(kept.kernel);
	}

	const sums = (row) => `${nameText(row)}: ${f.plural(row.count, 'launch', 'launches')}, ${f.duration(row.time_ns)}`;

	function pick(row) {
		chart.choose(row && keyOf(row));
		describe(row, row ? sums(row) : '');
	}

	async function showRange(next) {
		rangeRequest?.abort();
		range = next;
		rangeLine.hidden = !range;
		if (!range) return below.update(view, false);
		rangeLine.replaceChildren(
			`Selected: ${spanText({from_ns: range.from, to_ns: range.to})}`,
			h('button', {type: 'button', on: {click: () => chart.show(range)}}, 'Zoom to range'),
			h('button', {type: 'button', on: {click: () => chart.clearRange()}}, 'Clear'),
		);
		rangeRequest = new AbortController();
		const mine = rangeRequest;
		try {
			const query = {from_ns: range.from, to_ns: range.to, pixels: 1};
			const answer = await api.timelineStrips(run.id, query, mine.signal);
			if (!mine.signal.aborted && !at.signal.aborted) below.update(answer, true);
		} catch (error) {
			if (!mine.signal.aborted && !at.signal.aborted) fail(error, () => showRange(next));
		}
		return undefined;
	}

	const linked = doc.names.find((n) => n.kind === 'kernel' && n.id !== null && String(n.id) === kept.kernel) ?? null;
	const chart = timeline({
		overview: doc,
		start: windowOf(query, doc.end_ns),
		chosen: linked && keyOf(linked),
		signal: at.signal,
		load: (from, to, pixels, signal) => api.timelineStrips(run.id, {from_ns: from, to_ns: to, pixels}, signal),
		onView(next) {
			view = next;
			failed.hidden = true;
			if (!range) below.update(view, false);
		},
		onMove({from, to}, whole) {
			kept.from = whole ? '' : Math.floor(from);
			kept.to = whole ? '' : Math.ceil(to);
			save();
		},
		onSelect: describe,
		onRange: showRange,
		onFail: fail,
	});
	const below = totals(run, chart.looks, pick);
	below.update(doc, false);
	if (linked) describe(linked, sums(linked));
	return {
		save,
		node: h(
			'div',
			{class: 'part timeline-part'},
			chart.node,
			details,
			failed,
			rangeLine,
			below.node,
			caveats(doc),
		),
	};
}
