// breakdown.js - runs beside each other, layer by layer: who they are, what there is
// to be said first, and their rows, put together by what they are for.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import * as b from '../lib/breakdown_compare.js';
import {breakdownUrl, difference, isRun, MAX_RUNS, percentOf, runsOf} from '../lib/breakdown_compare.js';
import {swatch} from '../lib/chart_layers.js';
import {fileLink} from '../lib/columns.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {grouped, heading} from '../lib/grouped.js';
import {CONCURRENT, marksOf, rolesOf, timeCell} from '../lib/layer_cells.js';
import {DETECTORS, kernelName, placeName, sentence} from '../lib/layers.js';
import * as o from '../lib/operators.js';

// Which runs stand beside each other: at first, one more, and
// which may go where together they are refused.

const NUMBERS = '\\s*[1-9][0-9]*(\\s*,\\s*[1-9][0-9]*)*\\s*';

const listOf = (runs) => h('a', {href: runs.length ? `/runs?base=${runs.join(',')}` : '/runs'}, 'list of runs');

async function breakdownChooser(view, runs, at) {
	const input = h('input', {
		type: 'text',
		name: 'runs',
		value: runs.length ? `${runs.join(', ')}, ` : '',
		required: true,
		autocomplete: 'off',
		pattern: '[0-9,\\s]*',
		title: 'numbers of runs with commas between',
	});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const submit = (e) => {
		e.preventDefault();
		const chosen = runsOf(input.value);
		if (chosen.length >= 2) at.go(breakdownUrl(chosen));
		else
			wrong.textContent = `Two to ${MAX_RUNS} runs stand beside each other; these are ${chosen.length || 'none'}.`;
	};
	view.append(
		h('h1', {}, 'Layers side by side'),
		h(
			'p',
			{class: 'wide-text'},
			'Where the time of a layer goes in two to eight runs, row by row, whoever made the GPU: rows are put together by what they do in the layer, ' +
				'and one fused kernel may stand beside three. The first run is what the others are measured against.',
		),
		h(
			'section',
			{'aria-labelledby': 'tick'},
			h('h2', {id: 'tick'}, 'From the list of runs'),
			h(
				'p',
				{},
				'Tick runs in the ',
				listOf(runs),
				', those as base first, and follow “Layers side by side” beneath it.',
			),
		),
		h(
			'section',
			{'aria-labelledby': 'numbers'},
			h('h2', {id: 'numbers'}, 'By number'),
			h(
				'form',
				{class: 'bar', 'aria-label': 'Runs beside each other', on: {submit}},
				field('Runs', input, 'such as 1, 2, 5'),
				h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Show')),
			),
			wrong,
		),
	);
	return 'Layers side by side';
}

// Those asked for, where the server told nothing of them: each may go.
const requestedRuns = (runs, words) =>
	h(
		'ul',
		{class: 'asked', 'aria-label': 'Runs asked for'},
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
							{realign: words.realign},
						),
					},
					'Take away',
					h('span', {class: 'unseen'}, ` ${isRun(id) ? '#' : ''}${id}`),
				),
			),
		),
	);

// One run more, or other names; the same view as a link and as files is in the
// table's own bar.
function addRunForm(runs, words, at) {
	const input = h('input', {
		type: 'text',
		name: 'more',
		inputmode: 'numeric',
		pattern: NUMBERS,
		autocomplete: 'off',
		required: true,
		title: 'the number of a run',
	});
	const submit = (e) => {
		e.preventDefault();
		at.go(breakdownUrl(runsOf([...runs, input.value].join(',')), {realign: words.realign}));
	};
	return runs.length < MAX_RUNS
		? h(
				'form',
				{class: 'bar', 'aria-label': 'One run more', on: {submit}},
				field('One run more', input, 'its number'),
				h(
					'div',
					{class: 'actions'},
					h('button', {type: 'submit'}, 'Add'),
					h('span', {class: 'quiet'}, 'or tick them in the ', listOf(runs)),
				),
			)
		: h('p', {class: 'hint'}, `${MAX_RUNS} runs are the most.`);
}

// Who stands beside whom: a card a run, its layers and how they
// were found; and what is to be known before any number.

const letter = (i) => String.fromCharCode(65 + i);
const runName = (run) => run.name || `run ${run.run}`;
const againstText = (ns, first, i) => {
	const {pct} = difference(ns, first);
	return i && pct !== null ? h('span', {class: 'quiet'}, ` ${percentOf(pct)}`) : null;
};

function card(run, i, doc, runs, words) {
	const {realign} = words;
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
		run.names_lag ? h('p', {}, h('span', {class: 'mark'}, run.realigned ? 'names put back' : 'names lag')) : null,
		h(
			'dl',
			{class: 'facts'},
			time('End to end', 'end_to_end_ns'),
			time(run.layers ? f.plural(run.layers, 'layer') : 'No layers', 'layered_ns'),
			h('div', {}, h('dt', {}, 'Passes'), h('dd', {}, f.count(run.passes))),
		),
		h(
			'p',
			{class: 'quiet'},
			run.layers || !run.why
				? `${sentence(DETECTORS[run.detector] ?? run.detector).slice(0, -1)}${run.confidence === null ? '' : `, ${f.percent(run.confidence * 100)} % alike`}`
				: sentence(run.why),
		),
		h(
			'p',
			{class: 'line'},
			i
				? h('a', {href: breakdownUrl(front, {realign})}, 'Measure against this')
				: h('span', {class: 'quiet'}, 'The others are measured against this'),
			h(
				'a',
				{href: breakdownUrl(without, {realign})},
				'Take away',
				h('span', {class: 'unseen'}, ` ${runName(run)} #${run.run}`),
			),
		),
	);
}

const runCards = (doc, runs, words) =>
	h(
		'ul',
		{class: 'run-cards', 'aria-label': 'Runs'},
		doc.runs.map((run, i) => card(run, i, doc, runs, words)),
	);

// Where names lag behind durations, times beside names are told of nobody until
// they are put back; and that is said as well.
function lagBanner(doc, runs, words) {
	const list = doc.runs.filter((r) => r.names_lag);
	if (!list.length) return null;
	const who = list.map((r) => `${runName(r)} #${r.run}`).join(' and ');
	const asked = words.realign === 'yes';
	return h(
		'section',
		{class: 'banner', 'aria-labelledby': 'lag'},
		h('h2', {id: 'lag'}, asked ? 'Names were put back to durations' : 'Names lag behind durations'),
		h(
			'p',
			{},
			asked
				? `In ${who} the kernels' names lagged behind their durations; each duration got the name that its place has where both still agree. That is a guess.`
				: `In ${who} the kernels' names lag behind their durations: what stands beside a name there is another kernel's time.`,
		),
		h(
			'p',
			{},
			asked
				? h('a', {href: breakdownUrl(runs)}, 'Show them as recorded')
				: h('a', {href: breakdownUrl(runs, {realign: 'yes'})}, 'Put the names back to their durations'),
		),
	);
}

// The rows of several runs, put together by what they are for:
// each side's kernels, time and S, its difference to the first side, sums per
// block and section. What one side alone has is kept and marked.

const MATCH_TITLES = {
	role: 'put together by what they do in the layer',
	module: "put together by the module's name",
	kernel: "put together by the kernel's name",
	alone: 'one side alone has it',
};
const MAX_LINES = 300;

const span = (doc) => 1 + doc.runs.length * 3 + (doc.runs.length - 1) * 2;

const absent = (n) => h('td', {colspan: n, class: 'quiet absent', title: 'this run has no such row'}, f.NONE);

const signed = (ns, why = 'unknown') =>
	h('td', {class: 'num', title: ns === null || ns === undefined ? why : f.exact(ns)}, f.signed(ns, 'µs'));
const change = (pct) =>
	h('td', {class: 'num', title: pct === null || pct === undefined ? 'unknown' : `${pct} %`}, b.percentOf(pct));

// Two figures against the first side, where this is not the first.
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

// One kernel by its name; of several the longest, and the others on request.
function kernels(rows, full, open) {
	if (rows.length === 1)
		return h(
			'td',
			{class: `side-kernel${full ? ' full' : ''}`, title: full ? null : kernelName(rows[0], true)},
			h('code', {}, kernelName(rows[0], full)),
			...marksOf(rows[0]),
		);
	const longest = rows.reduce((most, r) => (r.mean_ns > most.mean_ns ? r : most), rows[0]);
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
		{class: 'num', title: cell.s === null ? 'unknown: no bound is known' : `T_SOL / T = ${cell.s}`},
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
	const only = doc.runs.filter((_, i) => line.cells[i]).map(runName);
	return h(
		'tr',
		{class: have < doc.runs.length ? 'unmatched' : null},
		h(
			'th',
			{scope: 'row', class: 'role', title: MATCH_TITLES[line.match]},
			name,
			line.module && line.roles.length ? h('div', {class: 'quiet'}, rolesOf(line.roles)) : null,
			have < doc.runs.length
				? h(
						'span',
						{class: 'mark', title: `in ${only.join(', ')} alone`},
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
	let left = view.most;
	const out = [];
	for (const {section, blocks} of tree) {
		const per = [...new Set(section.per_pass.filter((n) => n !== null))];
		const first = heading(
			'section-head',
			wide,
			h('strong', {}, placeName(section, per.length === 1 ? per[0] : null)),
			per.length > 1
				? h(
						'span',
						{class: 'quiet'},
						` ${section.per_pass.map((n, i) => `${letter(i)} ${f.count(n)}`).join(', ')} in a pass`,
					)
				: null,
		);
		blocks.forEach(({block, lines}, i) => {
			const shown = lines.slice(0, Math.max(0, left));
			left -= lines.length;
			if (!shown.length) return;
			const beside = block.beside === null ? null : doc.blocks[block.beside];
			out.push(
				[
					i ? null : first,
					heading(
						'block-head',
						wide,
						swatch(block.block),
						h('span', {}, block.block),
						beside ? h('span', {class: 'mark', title: CONCURRENT}, `beside ${beside.block}`) : null,
					),
					...shown.map((line) => row(line, doc, view)),
					view.q || view.apart ? null : sumRow('sum', `Sum of ${block.block}`, block.sum_ns),
					view.q || view.apart || i < blocks.length - 1
						? null
						: sumRow(
								'sum section-sum',
								section.place === 'layer' ? 'Sum of a layer' : 'Sum',
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

function lineSection(doc, words, query, at) {
	const view = {
		q: query.get('q') ?? '',
		full: query.get('names') === 'full',
		apart: query.get('lines') === 'apart',
		usual: query.get('extras') === 'no',
		open: query.get('kernels') === 'all',
		most: MAX_LINES,
	};
	const place = h('div', {class: 'part'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () =>
		at.keep({
			...words,
			q: view.q,
			names: view.full ? 'full' : '',
			lines: view.apart ? 'apart' : '',
			extras: view.usual ? 'no' : '',
			kernels: view.open ? 'all' : '',
		});

	function draw() {
		const tree = b.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, x) => m + x.lines.length, 0), 0);
		const {out, left} = bodies(doc, view, tree);
		place.replaceChildren(
			grouped({
				caption: 'Rows side by side',
				heads: headRows(doc),
				bodies: out,
				span: span(doc),
				empty: view.q ? 'No row has this in it.' : 'There is no such row.',
			}),
			left < 0
				? h(
						'button',
						{
							type: 'button',
							class: 'fold-line',
							on: {
								click: () => {
									view.most = Infinity;
									draw();
								},
							},
						},
						`Show the other ${f.plural(-left, 'line')}`,
					)
				: '',
		);
		found.textContent = f.plural(all, 'line');
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
	const name = `layers-${words.runs.replaceAll(',', '-')}`;
	return {
		save,
		node: h(
			'section',
			{'aria-labelledby': 'rows', class: 'part'},
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {id: 'rows'}, 'Row by row'),
				filter,
				check('Full names', 'full'),
				check('All kernels', 'open'),
				check('Only what not all have', 'apart'),
				doc.items.some(b.isExtra) ? check('Without extras', 'usual') : '',
				found,
				h(
					'span',
					{class: 'links'},
					h('a', {href: b.breakdownUrl(b.runsOf(words.runs), {realign: words.realign})}, 'Permalink'),
					...[
						['JSON', 'json'],
						['CSV', 'csv'],
						['Markdown', 'md'],
					].map(([text, format]) =>
						fileLink(text, api.breakdownComparisonFile(format, words), `${name}.${format}`),
					),
				),
			),
			place,
			h(
				'p',
				{class: 'hint wide-text'},
				'Times are means per layer of each run. Rows stand together by block and by what they do; where one side fuses what another splits, several kernels are one cell. ' +
					"Δ is against the first run. S = T_SOL / T on each run's own platform.",
			),
		),
	};
}

export async function page(view, query, at) {
	const words = b.breakdownParams(query);
	const runs = b.runsOf(words.runs);
	if (b.tooFew(runs)) return breakdownChooser(view, runs, at);
	const names = runs.map((id) => `#${id}`).join(', ');
	const title = `Layers of ${names}`;
	const {doc, refusal} = await answerOrRefusal(api.breakdownComparison(words, at.signal));
	const crumbs = h('p', {class: 'crumbs'}, h('a', {href: '/breakdown'}, 'Layers side by side'), ` / ${names}`);
	if (refusal) {
		view.append(
			crumbs,
			h('h1', {}, title),
			refusalLine(refusal, `/breakdown?${f.query(query)}`),
			requestedRuns(runs, words),
			addRunForm(runs, words, at),
		);
		return title;
	}
	const table = lineSection(doc, words, query, at);
	view.append(
		crumbs,
		h('h1', {class: 'headline'}, b.headline(doc)),
		lagBanner(doc, runs, words) ?? '',
		runCards(doc, runs, words),
		addRunForm(runs, words, at),
		table.node,
	);
	table.save();
	return title;
}
