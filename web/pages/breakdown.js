// breakdown.js - the breakdown comparison of two to eight runs: the runs, findings about them,
// and their rows matched by role.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {changesSection} from '../lib/breakdown_changes.js';
import * as b from '../lib/breakdown_compare.js';
import {breakdownUrl, difference, isRun, MAX_RUNS, percentOf, runsOf} from '../lib/breakdown_compare.js';
import {swatch} from '../chart/chart_layers.js';
import {fileLink} from '../lib/columns.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {grouped, heading} from '../lib/grouped.js';
import {CONCURRENT, marksOf, otherGpuLinks, rolesOf, timeCell} from '../lib/layer_cells.js';
import {DETECTORS, kernelName, placeName, sentence} from '../lib/layers.js';
import * as o from '../lib/operators.js';

// The form that chooses the runs. It is shown when no runs are chosen, adds a run, and removes runs
// if the server rejects the comparison.

const NUMBERS = '\\s*[1-9][0-9]*(\\s*,\\s*[1-9][0-9]*)*\\s*';

const listOf = (runs) => h('a', {href: runs.length ? `/runs?base=${runs.join(',')}` : '/runs'}, 'list of runs');

// If one run is chosen, links to the comparison with its workload on other GPUs. Without them the form
// is enough, so failures are not shown.
async function otherGpus(runs, at) {
	if (runs.length !== 1) return null;
	const links = await api.run(runs[0], at.signal).then((run) => otherGpuLinks(run, at), () => []);
	return links.length
		? h(
				'section',
				{'aria-labelledby': 'gpus'},
				h('h2', {id: 'gpus'}, `Run #${runs[0]} on another GPU`),
				h('p', {}, 'The newest run of the same workload on each other GPU:'),
				h('div', {class: 'line'}, links),
			)
		: null;
}

async function breakdownChooser(view, runs, at) {
	const offered = await otherGpus(runs, at);
	const input = h('input', {
		type: 'text',
		name: 'runs',
		value: runs.length ? `${runs.join(', ')}, ` : '',
		required: true,
		autocomplete: 'off',
		pattern: '[0-9,\\s]*',
		title: 'run numbers, separated by commas',
	});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const submit = (e) => {
		e.preventDefault();
		const chosen = runsOf(input.value);
		if (chosen.length >= 2) at.go(breakdownUrl(chosen));
		else wrong.textContent = `Enter two to ${MAX_RUNS} runs (${chosen.length || 'none'} entered).`;
	};
	view.append(
		h('h1', {}, 'Breakdown comparison'),
		h(
			'p',
			{class: 'wide-text'},
			'Compares the time of each part of a layer in two to eight runs, also across GPU vendors. ' +
				'Rows are matched by their role in the layer: one fused kernel can match three kernels. ' +
				'The first run is the base of all differences.',
		),
		offered ?? '',
		h(
			'section',
			{'aria-labelledby': 'tick'},
			h('h2', {id: 'tick'}, 'From the list of runs'),
			h(
				'p',
				{},
				'Tick runs in the ',
				listOf(runs),
				' (runs ticked as base come first), then select “Breakdown comparison” below it.',
			),
		),
		h(
			'section',
			{'aria-labelledby': 'numbers'},
			h('h2', {id: 'numbers'}, 'By number'),
			h(
				'form',
				{class: 'bar', 'aria-label': 'Runs to compare', on: {submit}},
				field('Runs', input, 'for example 1, 2, 5'),
				h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Show')),
			),
			wrong,
		),
	);
	return 'Breakdown comparison';
}

// If the server rejected the comparison, the requested runs, each with a button that removes it.
const requestedRuns = (runs, params) =>
	h(
		'ul',
		{class: 'requested-runs', 'aria-label': 'Requested runs'},
		runs.map((id, i) =>
			h(
				'li',
				{class: 'line'},
				isRun(id) ? h('a', {href: `/runs/${id}?tab=layers`}, `#${id}`) : h('code', {}, id),
				h(
					'a',
					{
						href: breakdownUrl(
							runs.filter((_, k) => k !== i),
							{realign: params.realign},
						),
					},
					'Remove',
					h('span', {class: 'visually-hidden'}, ` ${isRun(id) ? '#' : ''}${id}`),
				),
			),
		),
	);

// Adds a run to the comparison.
function addRunForm(runs, params, at) {
	const input = h('input', {
		type: 'text',
		name: 'more',
		inputmode: 'numeric',
		pattern: NUMBERS,
		autocomplete: 'off',
		required: true,
		title: 'a run number',
	});
	const submit = (e) => {
		e.preventDefault();
		at.go(breakdownUrl(runsOf([...runs, input.value].join(',')), {realign: params.realign}));
	};
	return runs.length < MAX_RUNS
		? h(
				'form',
				{class: 'bar', 'aria-label': 'Add a run', on: {submit}},
				field('Add a run', input, 'run number'),
				h(
					'div',
					{class: 'actions'},
					h('button', {type: 'submit'}, 'Add'),
					h('span', {class: 'quiet'}, 'or tick them in the ', listOf(runs)),
				),
			)
		: h('p', {class: 'hint'}, `A comparison has at most ${MAX_RUNS} runs.`);
}

// The runs: one card per run with its layers and how they were found.

const letter = (i) => String.fromCharCode(65 + i);
const runName = (run) => run.name || `run ${run.run}`;
const againstText = (ns, first, i) => {
	const {pct} = difference(ns, first);
	return i && pct !== null ? h('span', {class: 'quiet'}, ` ${percentOf(pct)}`) : null;
};

function card(run, i, doc, runs, params) {
	const {realign} = params;
	const [first] = doc.runs;
	const without = runs.filter((id) => Number(id) !== run.run);
	const front = [String(run.run), ...without];
	const time = (label, key) =>
		h(
			'div',
			{},
			h('dt', {}, label),
			h('dd', {title: f.exact(run[key])}, f.duration(run[key]), againstText(run[key], first[key], i)),
		);
	return h(
		'li',
		{class: 'run-card'},
		h(
			'h2',
			{},
			h('span', {class: 'letter', 'aria-hidden': 'true'}, letter(i)),
			h('a', {href: `/runs/${run.run}?tab=layers`}, runName(run)),
			' ',
			h('span', {class: 'quiet'}, `#${run.run}`),
		),
		h(
			'p',
			{class: 'quiet'},
			[run.platform ?? 'platform unknown', run.device_name !== run.platform && run.device_name]
				.filter(Boolean)
				.join(' · '),
		),
		run.names_lag
			? h('p', {}, h('span', {class: 'mark'}, run.realigned ? 'names realigned' : 'names misaligned'))
			: null,
		h(
			'dl',
			{class: 'facts'},
			time('End to end', 'end_to_end_ns'),
			time(run.layers ? f.plural(run.layers, 'layer') : 'No layers', 'layered_ns'),
			h('div', {}, h('dt', {}, 'Iterations'), h('dd', {}, f.count(run.iterations))),
		),
		h(
			'p',
			{class: 'quiet'},
			run.layers || !run.reason
				? sentence(DETECTORS[run.detector] ?? run.detector).slice(0, -1) +
						(run.confidence === null ? '' : `, similarity ${f.percent(run.confidence * 100)} %`)
				: sentence(run.reason),
		),
		h(
			'p',
			{class: 'line'},
			i
				? h('a', {href: breakdownUrl(front, {realign})}, 'Use as base')
				: h('span', {class: 'quiet'}, 'Base of all differences'),
			h(
				'a',
				{href: breakdownUrl(without, {realign})},
				'Remove',
				h('span', {class: 'visually-hidden'}, ` ${runName(run)} #${run.run}`),
			),
		),
	);
}

const runCards = (doc, runs, params) =>
	h(
		'ul',
		{class: 'run-cards', 'aria-label': 'Runs'},
		doc.runs.map((run, i) => card(run, i, doc, runs, params)),
	);

// If kernel names are assigned to the wrong durations, a row shows the time of another kernel. The
// banner warns about this, and also says if names were realigned.
function lagBanner(doc, runs, params) {
	const list = doc.runs.filter((r) => r.names_lag);
	if (!list.length) return null;
	const who = list.map((r) => `${runName(r)} #${r.run}`).join(' and ');
	const realigned = params.realign === 'yes';
	return h(
		'section',
		{class: 'banner', 'aria-labelledby': 'lag'},
		h('h2', {id: 'lag'}, realigned ? 'Kernel names were realigned' : 'Kernel names are misaligned'),
		h(
			'p',
			{},
			realigned
				? `In ${who} kernel names were shifted against their durations. Each duration now has the name ` +
						'expected at its position. This is an estimate.'
				: `In ${who} kernel names are shifted against their durations: ` +
						"the time of a row is another kernel's.",
		),
		h(
			'p',
			{},
			realigned
				? h('a', {href: breakdownUrl(runs)}, 'Show them as recorded')
				: h('a', {href: breakdownUrl(runs, {realign: 'yes'})}, 'Realign names with durations'),
		),
	);
}

// The rows of all runs, matched by role. They show kernels, time and S of each run, the differences
// to the first run, and sums per block and section. Rows that only some runs have are shown and
// marked.

const MATCH_TITLES = {
	role: 'matched by role in the layer',
	module: 'matched by module name',
	kernel: 'matched by kernel name',
	alone: 'only in one run',
};
// How kernels were found in the other runs, if not by their names.
const IDENTITIES = {
	renamed: 'renamed (inferred)',
	variant: 'another variant',
	several: 'sum of several (inferred)',
};
const MAX_LINES = 300;

const span = (doc) => 1 + doc.runs.length * 3 + (doc.runs.length - 1) * 2;

const absent = (n) => h('td', {colspan: n, class: 'quiet absent', title: 'this run has no such row'}, f.NONE);

const signed = (ns, why = 'unknown') =>
	h('td', {class: 'num', title: ns === null || ns === undefined ? why : f.exact(ns)}, f.signed(ns, 'µs'));
const change = (pct) =>
	h('td', {class: 'num', title: pct === null || pct === undefined ? 'unknown' : `${pct} %`}, b.percentOf(pct));

// Two differences to the first run, except for the first run itself.
const differenceCells = (cell, i, why) => (i ? [signed(cell.diff_ns, why), change(cell.diff_pct)] : []);

const kernelItem = (r, full) =>
	h(
		'li',
		{},
		h('code', {title: full ? null : kernelName(r, true)}, kernelName(r, full)),
		' ',
		h('span', {class: 'quiet', title: f.exact(r.mean_ns)}, f.duration(r.mean_ns), r.module ? ` · ${r.module}` : ''),
		' ',
		...marksOf(r),
	);

// The name of a kernel. For several kernels, the longest name is shown and the others are folded.
function kernels(rows, full, open) {
	if (rows.length === 1)
		return h(
			'td',
			{class: `side-kernel${full ? ' full' : ''}`, title: full ? null : kernelName(rows[0], true)},
			h('code', {}, kernelName(rows[0], full)),
			...marksOf(rows[0]),
		);
	const longest = rows.reduce((max, r) => (r.mean_ns > max.mean_ns ? r : max), rows[0]);
	return h(
		'td',
		{class: `side-kernel${full ? ' full' : ''}`},
		h(
			'details',
			{class: 'several', open},
			h(
				'summary',
				{},
				h(
					'span',
					{},
					h('code', {title: full ? null : kernelName(longest, true)}, kernelName(longest, full)),
					` and ${f.count(rows.length - 1)} more`,
				),
			),
			h(
				'ol',
				{},
				rows.map((r) => kernelItem(r, full)),
			),
		),
	);
}

function side(cell, i, missing, view) {
	if (!cell) return [absent(i ? 5 : 3)];
	const s = h(
		'td',
		{class: 'num', title: cell.s === null ? 'unknown: no roofline bound' : `T_SOL / T = ${cell.s}`},
		o.share(cell.s),
	);
	return [
		kernels(cell.rows, view.full, view.open),
		timeCell(cell.mean_ns),
		s,
		...differenceCells(cell, i, missing ? 'the first run has no such row' : 'unknown'),
	];
}

function row(line, doc, view) {
	const have = b.sidesWith(line);
	const name = line.module ? [h('code', {}, line.module)] : line.roles.length ? rolesOf(line.roles) : [f.NONE];
	const having = doc.runs.filter((_, i) => line.cells[i]).map(runName);
	return h(
		'tr',
		{class: have < doc.runs.length ? 'unmatched' : null},
		h(
			'th',
			{scope: 'row', class: 'role', title: MATCH_TITLES[line.match]},
			name,
			line.module && line.roles.length ? h('div', {class: 'quiet'}, rolesOf(line.roles)) : null,
			line.identity in IDENTITIES
				? h('div', {class: 'quiet identity', title: line.identity_reason}, IDENTITIES[line.identity])
				: null,
			have < doc.runs.length
				? h(
						'span',
						{class: 'mark', title: `only in ${having.join(', ')}`},
						have === 1 ? `only ${letter(line.cells.findIndex(Boolean))}` : `${have} of ${doc.runs.length}`,
					)
				: null,
			h(
				'div',
				{class: 'narrow-only'},
				line.cells.map((cell, i) => h('div', {}, `${letter(i)} ${cell ? f.duration(cell.mean_ns) : f.NONE}`)),
			),
		),
		line.cells.flatMap((cell, i) => side(cell, i, !line.cells[0], view)),
	);
}

function sumRow(name, label, times) {
	return h(
		'tr',
		{class: name},
		h(
			'th',
			{scope: 'row'},
			label,
			h(
				'div',
				{class: 'narrow-only'},
				times.map((ns, i) => h('div', {}, `${letter(i)} ${f.duration(ns)}`)),
			),
		),
		times.flatMap((ns, i) => {
			if (ns === null) return absent(i ? 5 : 3);
			const {ns: diff_ns, pct: diff_pct} = b.difference(ns, times[0]);
			return [h('td'), timeCell(ns), h('td'), ...differenceCells({diff_ns, diff_pct}, i)];
		}),
	);
}

function bodies(doc, view, tree) {
	const wide = span(doc);
	let left = view.maxLines;
	const out = [];
	for (const {section, blocks} of tree) {
		const per = [...new Set(section.per_iteration.filter((n) => n !== null))];
		const first = heading(
			'section-head',
			wide,
			h('strong', {}, placeName(section, per.length === 1 ? per[0] : null)),
			per.length > 1
				? h(
						'span',
						{class: 'quiet'},
						` ${section.per_iteration.map((n, i) => `${letter(i)} ${f.count(n)}`).join(', ')} per iteration`,
					)
				: null,
		);
		blocks.forEach(({block, lines}, i) => {
			const shown = lines.slice(0, Math.max(0, left));
			left -= lines.length;
			if (!shown.length) return;
			const concurrent = block.parallel_to === null ? null : doc.blocks[block.parallel_to];
			out.push(
				[
					i ? null : first,
					heading(
						'block-head',
						wide,
						swatch(block.block),
						h('span', {}, block.block),
						concurrent
							? h('span', {class: 'mark', title: CONCURRENT}, `concurrent with ${concurrent.block}`)
							: null,
					),
					...shown.map((line) => row(line, doc, view)),
					view.q || view.unmatchedOnly ? null : sumRow('sum', `Sum of ${block.block}`, block.sum_ns),
					view.q || view.unmatchedOnly || i < blocks.length - 1
						? null
						: sumRow(
								'sum section-sum',
								section.position === 'layer' ? 'Sum of a layer' : 'Sum',
								section.sum_ns,
							),
				].filter(Boolean),
			);
		});
	}
	return {out, left};
}

function headRows(doc) {
	const unit = (text) => h('span', {class: 'unit'}, ` (${text})`);
	const col = (label, num, ...rest) => h('th', {scope: 'col', class: num ? 'num' : null}, label, ...rest);
	return [
		h(
			'tr',
			{},
			h('th', {scope: 'col', rowspan: 2}, 'Role or module'),
			doc.runs.map((run, i) =>
				h(
					'th',
					{scope: 'colgroup', colspan: i ? 5 : 3, class: 'side-head'},
					h('span', {class: 'letter', 'aria-hidden': 'true'}, letter(i)),
					`${runName(run)} #${run.run}`,
					run.platform ? h('span', {class: 'unit'}, ` ${run.platform}`) : null,
				),
			),
		),
		h(
			'tr',
			{class: 'second'},
			doc.runs.flatMap((_, i) => [
				col('Kernels'),
				col('Time', true, unit('µs')),
				col('S', true),
				...(i ? [col('Δ', true, unit('µs')), col('Δ', true, unit('%'))] : []),
			]),
		),
	];
}

function lineSection(doc, params, query, at) {
	const view = {
		q: query.get('q') ?? '',
		full: query.get('names') === 'full',
		unmatchedOnly: query.get('rows') === 'unmatched',
		hideExtras: query.get('extras') === 'no',
		open: query.get('kernels') === 'all',
		maxLines: MAX_LINES,
	};
	const place = h('div', {class: 'part'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () =>
		at.keep({
			...params,
			q: view.q,
			names: view.full ? 'full' : '',
			rows: view.unmatchedOnly ? 'unmatched' : '',
			extras: view.hideExtras ? 'no' : '',
			kernels: view.open ? 'all' : '',
		});

	function draw() {
		const tree = b.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, x) => m + x.lines.length, 0), 0);
		const {out, left} = bodies(doc, view, tree);
		place.replaceChildren(
			grouped({
				caption: 'Rows of all runs',
				heads: headRows(doc),
				bodies: out,
				span: span(doc),
				empty: view.q ? 'No row matches the search.' : 'No rows.',
			}),
			left < 0
				? h(
						'button',
						{
							type: 'button',
							class: 'fold-line',
							on: {
								click: () => {
									view.maxLines = Infinity;
									draw();
								},
							},
						},
						`Show ${f.plural(-left, 'more row')}`,
					)
				: '',
		);
		found.textContent = f.plural(all, 'row');
	}

	function changed(next) {
		Object.assign(view, next);
		draw();
		save();
	}

	draw();
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Search rows',
		placeholder: 'Search rows',
		value: view.q,
		on: {input: (e) => changed({q: e.target.value.trim()})},
	});
	const check = (label, key) =>
		h(
			'label',
			{class: 'check'},
			h('input', {type: 'checkbox', checked: view[key], on: {change: (e) => changed({[key]: e.target.checked})}}),
			label,
		);
	const name = `layers-${params.runs.replaceAll(',', '-')}`;
	return {
		save,
		node: h(
			'section',
			{'aria-labelledby': 'rows', class: 'part'},
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {id: 'rows'}, 'Rows'),
				filter,
				check('Full names', 'full'),
				check('All kernels', 'open'),
				check('Only unmatched rows', 'unmatchedOnly'),
				doc.items.some(b.isExtra) ? check('Hide extras', 'hideExtras') : '',
				found,
				h(
					'span',
					{class: 'links'},
					h('a', {href: b.breakdownUrl(b.runsOf(params.runs), {realign: params.realign})}, 'Permalink'),
					...[
						['JSON', 'json'],
						['CSV', 'csv'],
						['Markdown', 'md'],
					].map(([text, format]) =>
						fileLink(text, api.breakdownComparisonFile(format, params), `${name}.${format}`),
					),
				),
			),
			place,
			h(
				'p',
				{class: 'hint wide-text'},
				'Times are means per layer of each run. Rows are matched by block and role; ' +
					'if one run fuses what another splits, several kernels share a cell. ' +
					"Δ is the difference to the first run. S = T_SOL / T on each run's own platform.",
			),
		),
	};
}

export async function page(view, query, at) {
	const params = b.breakdownParams(query);
	const runs = b.runsOf(params.runs);
	if (b.tooFew(runs)) return breakdownChooser(view, runs, at);
	const names = runs.map((id) => `#${id}`).join(', ');
	const title = `Layers of ${names}`;
	const {doc, refusal} = await answerOrRefusal(api.breakdownComparison(params, at.signal));
	const crumbs = h('p', {class: 'crumbs'}, h('a', {href: '/breakdown'}, 'Breakdown comparison'), ` / ${names}`);
	if (refusal) {
		view.append(
			crumbs,
			h('h1', {}, title),
			refusalLine(refusal, `/breakdown?${f.query(query)}`),
			requestedRuns(runs, params),
			addRunForm(runs, params, at),
		);
		return title;
	}
	const table = lineSection(doc, params, query, at);
	view.append(
		crumbs,
		h('h1', {class: 'headline'}, b.headline(doc)),
		b.result(doc) ? h('p', {class: 'quiet'}, b.matchedText(doc)) : '',
		lagBanner(doc, runs, params) ?? '',
		runCards(doc, runs, params),
		addRunForm(runs, params, at),
		changesSection(doc),
		table.node,
	);
	table.save();
	return title;
}
