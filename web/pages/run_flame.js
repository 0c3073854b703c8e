// run_flame.js - tab: GPU time by call path as a flame graph, also as the difference of two runs. The
// address contains the zoom, the search, the order, the frames and the other run.

import * as api from '../lib/api.js';
import {flameChart, flameLegend} from '../chart/chart_flame.js';
import {largestUnit, share} from '../lib/columns.js';
import {facts, h} from '../lib/dom.js';
import {barsOf, change, costliest, found, KINDS, sentence, shareText, treeOf} from '../lib/flame.js';
import * as f from '../lib/format.js';
import {announce, showFailure} from '../lib/notices.js';
import {missingDetail} from '../lib/run_content.js';
import {table} from '../lib/table.js';

const depthOf = (node) => {
	let depth = 0;
	for (let at = node.up; at; at = at.up) depth++;
	return depth;
};

// Where a node is, if another one has its name.
const inside = (node) => (node.inside ? h('span', {class: 'quiet'}, ' in ', h('bdi', {}, node.inside)) : '');

function columns(root, unit, basis) {
	const compared = root.against_ns !== null;
	return [
		{
			label: 'Node',
			head: true,
			class: 'wide',
			cell: (n) => [h('span', {class: 'quiet'}, `${depthOf(n)} `), h('bdi', {class: n.user_frame ? 'user' : null}, n.label), inside(n)],
			title: (n) => n.whole,
		},
		{label: 'Kind', cell: (n) => `${KINDS[n.kind].sign} ${KINDS[n.kind].name}`},
		{label: 'Time', unit, num: true, cell: (n) => f.inUnit(n.total_ns, unit), title: (n) => f.exact(n.total_ns)},
		{
			label: 'Share',
			unit: '%',
			num: true,
			class: 'time',
			cell: (n) => share(root.total_ns ? (100 * n.total_ns) / root.total_ns : null),
		},
		...(compared
			? [
					{
						label: 'Other run',
						unit,
						num: true,
						cell: (n) => f.inUnit(n.against_ns, unit),
						title: (n) => f.exact(n.against_ns),
					},
					{label: 'Change', num: true, cell: (n) => change(n, root, basis).text},
				]
			: []),
		{label: 'Launches', num: true, cell: (n) => f.count(n.launches)},
		{label: 'Names', num: true, cell: (n) => (n.members > 1 ? f.count(n.members) : '1')},
		{label: 'Source', cell: (n) => (n.source ? h('code', {}, n.source) : f.NONE)},
	];
}

// The nodes below `top`, each parent before its children, most time first.
function below(top) {
	const out = [];
	const open = [top];
	while (open.length) {
		const node = open.pop();
		out.push(node);
		open.push(...[...node.children].sort((a, b) => a.total_ns - b.total_ns));
	}
	return out;
}

// The sentence above the graph: the costliest kernel, and who launches it.
function answer(doc, nodes, show) {
	const most = costliest(nodes);
	const root = nodes[0];
	if (!most || !most.ns) return null;
	const {kernel, leaf} = most;
	const by = [most.module && h('span', {}, h('bdi', {}, most.module.label), inside(most.module)), most.user && h('bdi', {class: 'user'}, most.user.label)].filter(Boolean);
	return h(
		'p',
		{class: 'flame-answer'},
		'Costliest kernel: ',
		h('bdi', {}, h('code', {}, doc.kernels[kernel].distinct_name)),
		`, ${shareText(most.ns, root.total_ns)} of GPU time. `,
		by.length
			? [`${shareText(leaf.total_ns, most.ns)} of it is launched by `, by[0], by[1] ? ' · ' : '', by[1] ?? '', '. ']
			: most.path
				? ''
				: 'Who launches it is not recorded. ',
		h('button', {type: 'button', on: {click: () => show(leaf)}}, 'Show in the graph'),
	);
}

// The facts of the selected bar, with links to the other tabs.
function detail(bar, doc, run, basis) {
	const root = doc.nodes[0];
	const {node, chain} = bar;
	const kernel = node.kind === 'kernel' ? doc.kernels[node.kernel] : null;
	const diff = change(node, root, basis);
	const frames = chain.map((n) =>
		h('li', {}, h('span', {class: 'kind'}, KINDS[n.kind].name), ' ', h('code', {class: n.user_frame ? 'user' : null}, n.whole)),
	);
	return [
		facts([
			['Time', `${f.duration(node.total_ns)} (${f.exact(node.total_ns)})`],
			['Share of GPU time', shareText(node.total_ns, root.total_ns)],
			['Other run', diff && `${f.duration(node.against_ns)}, change ${diff.text}`],
			['Launches', f.count(node.launches)],
			['Single call paths', f.count(node.callers)],
			['Names in this node', bar.main.members > 1 ? f.count(bar.main.members) : null],
			['Nearest user frame', chain.findLast((n) => n.user_frame)?.source],
			[
				'Open',
				kernel && [
					h('a', {href: `/runs/${run.id}?tab=kernels&kernel=${kernel.id}`}, 'Kernel'),
					kernel.operator ? [' · ', h('a', {href: `/runs/${run.id}?tab=operators&open=${encodeURIComponent(kernel.operator)}#panel`}, `Operator ${kernel.operator}`)] : '',
				].flat(),
			],
		]),
		node.kind === 'root' ? '' : h('ol', {class: 'path'}, frames),
	];
}

const selection = (label, value, options, change) =>
	h(
		'label',
		{class: 'choice-of'},
		`${label} `,
		h(
			'select',
			{on: {change: (e) => change(e.target.value)}},
			options.map(([key, text]) => h('option', {value: key, selected: key === value}, text)),
		),
	);

// Reads the other run by its id, and shows the tab again.
function otherRun(view, change) {
	const input = h('input', {
		type: 'text',
		inputmode: 'numeric',
		pattern: '[1-9][0-9]*',
		size: 8,
		'aria-label': 'Id of the run to compare with',
		placeholder: 'run id',
		value: view.against,
	});
	return h(
		'form',
		{
			class: 'line',
			on: {
				submit: (e) => {
					e.preventDefault();
					change(input.value.trim());
				},
			},
		},
		'Compare with run',
		input,
		h('button', {type: 'submit', class: 'plain'}, 'Compare'),
		view.against ? h('button', {type: 'button', class: 'plain', on: {click: () => change('')}}, 'Only this run') : null,
	);
}

// Why the graph has no bars.
function nothing(run) {
	if (missingDetail(run)) return missingDetail(run).callers;
	return run.launches ? 'This run has no call paths.' : 'Nothing was launched on a GPU.';
}

function graph(run, doc, view, save, form) {
	const nodes = treeOf(doc);
	const root = nodes[0];
	const unit = largestUnit([root.total_ns]);
	const summary = h('p', {class: 'quiet', role: 'status'});
	const line = h('p', {class: 'readout', 'aria-hidden': 'true'});
	const facts_ = h('div', {class: 'flame-detail'});
	let bars;
	let top;

	const chart = flameChart({
		label: `GPU time of run ${run.id} by call path. Arrow keys move, Enter zooms, Escape zooms out.`,
		onFocus: (bar) => {
			line.textContent = sentence(bar, root, view.basis);
		},
		onZoom: zoom,
	});

	// The bar that contains a node.
	const barOf = (id) => bars.find((bar) => bar.chain.some((node) => node.id === id));

	function zoom(bar) {
		top = bar;
		view.zoom = bar.up ? String(bar.id) : '';
		redraw();
		chart.focus(bar);
	}

	function redraw() {
		const hits = view.q ? found(bars, view.q) : null;
		chart.update({bars, top, hits: hits?.ids ?? null, basis: view.basis});
		summary.textContent = hits
			? `${f.plural(hits.ids.size, 'bar')} found, ${shareText(hits.ns, root.total_ns)} of GPU time`
			: `${f.duration(root.total_ns)} in ${f.plural(root.launches, 'launch', 'launches')}`;
		facts_.replaceChildren(...detail(top, {...doc, nodes}, run, view.basis));
		line.textContent = sentence(top, root, view.basis);
		if (numbers.open) fill();
		save();
	}

	function arrange() {
		const at = top?.id ?? Number(view.zoom || 0);
		bars = barsOf(nodes, view);
		top = barOf(at) ?? bars[0];
		redraw();
	}

	function fill() {
		numbers.replaceChildren(
			numbers.firstElementChild,
			table({
				caption: 'Flame graph, data',
				columns: columns(root, unit, view.basis),
				rows: below(top.node),
				tall: true,
			}).node,
		);
	}

	const numbers = h(
		'details',
		{class: 'numbers', on: {toggle: () => numbers.open && fill()}},
		h('summary', {}, 'Data table'),
	);
	const set = (key, then) => (value) => {
		view[key] = value;
		then();
	};
	const search = h('input', {
		type: 'search',
		'aria-label': 'Search the flame graph',
		placeholder: 'Search names',
		value: view.q,
		on: {input: (e) => set('q', redraw)(e.target.value.trim())},
	});
	const toolbar = h(
		'div',
		{class: 'toolbar'},
		search,
		selection('Order', view.order, [['time', 'most time first'], ['trace', 'as in the trace']], set('order', arrange)),
		selection('Frames', view.every ? 'all' : '', [['', 'chains folded'], ['all', 'all']], (value) => set('every', arrange)(value === 'all')),
		root.against_ns === null
			? null
			: selection('Change of', view.basis, [['time', 'GPU time'], ['share', 'share of GPU time']], set('basis', redraw)),
		h('button', {type: 'button', class: 'plain', on: {click: () => zoom(bars[0])}}, 'Reset zoom'),
		summary,
	);
	arrange();
	return [
		answer(doc, nodes, (leaf) => {
			zoom(barOf(leaf.id));
			announce(sentence(top, root, view.basis));
		}),
		form,
		toolbar,
		flameLegend(root.against_ns !== null),
		chart.node,
		h('div', {class: 'under'}, line, numbers),
		facts_,
	].filter(Boolean);
}

export async function flameTab(run, query, at) {
	const view = {
		zoom: query.get('zoom') ?? '',
		q: query.get('q') ?? '',
		order: query.get('order') === 'trace' ? 'trace' : 'time',
		every: query.get('frames') === 'all',
		against: query.get('against') ?? '',
		basis: query.get('basis') === 'share' ? 'share' : 'time',
	};
	const place = h('div', {class: 'part'});
	const save = () =>
		at.keep({
			zoom: view.zoom,
			q: view.q,
			order: view.order === 'trace' ? 'trace' : '',
			frames: view.every ? 'all' : '',
			against: view.against,
			basis: view.basis === 'share' ? 'share' : '',
		});

	async function show() {
		const doc = await api.callTree(run.id, {against: view.against}, at.signal);
		const form = otherRun(view, compare);
		const empty = doc.nodes.length === 1;
		place.replaceChildren(
			...(view.against
				? [
						h(
							'p',
							{},
							`This run against `,
							h('a', {href: `/runs/${view.against}`}, `run ${view.against}`),
							'. The width of a bar is the time of both runs.',
						),
					]
				: []),
			...(empty ? [h('p', {class: 'quiet'}, nothing(run))] : graph(run, doc, view, save, form)),
		);
	}

	async function compare(against) {
		const before = view.against;
		Object.assign(view, {against, zoom: ''});
		try {
			await show();
			save();
		} catch (error) {
			view.against = before;
			if (!at.signal.aborted) showFailure(error, () => compare(against));
		}
	}

	await show();
	return {node: place, save};
}
