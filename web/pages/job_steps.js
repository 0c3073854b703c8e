// job_steps.js - the ranks of a job over time: a map with one row per rank and one column per iteration,
// and a table with its numbers.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {chart, s} from '../chart/chart.js';
import {h} from '../lib/dom.js';
import {rankName} from '../lib/exchange_map.js';
import * as f from '../lib/format.js';
import {cellText, excludedSentences, KINDS, longerSentences, shownRanks, SHADES, stepCells, stepName} from '../lib/rank_steps.js';

const LEFT = 58;
const BOTTOM = 18;
const MAX_CELL = 40;
const FEW_RANKS = 16;

const box = (x, y, width, height) => `M${x.toFixed(2)} ${y}h${width.toFixed(2)}v${height}h${(-width).toFixed(2)}z`;

// Returns draw(width) for chart.js. The cells of one shade are one path.
function stepMap(doc, kind) {
	const ranks = shownRanks(doc);
	const {cells} = stepCells(doc, kind);
	return (width) => {
		const high = ranks.length > FEW_RANKS ? 12 : 20;
		const wide = Math.min(MAX_CELL, (width - LEFT) / doc.steps.length);
		const gap = wide > 6 ? 1 : 0;
		const right = LEFT + wide * doc.steps.length;
		const paths = Array.from({length: SHADES + 1}, () => '');
		const marks = [];
		const points = [];
		const nodes = [];
		ranks.forEach((rank, k) => {
			nodes.push(s('text', {x: LEFT - 6, y: k * high + high / 2 + 4, 'text-anchor': 'end', class: 'axis'}, rankName(rank)));
			cells[k].forEach(({shade, longer}, i) => {
				const [x, y] = [LEFT + i * wide, k * high];
				paths[shade] += box(x, y, wide - gap, high - 1);
				if (longer) marks.push(`M${(x + wide / 2).toFixed(1)} ${y + high / 2}h0`);
				points.push({x: x + wide / 2, y: y + high / 2, text: cellText(doc, kind, rank, i)});
			});
		});
		paths.forEach((d, shade) => d && nodes.push(s('path', {d, class: `step-cell shade-${shade}`})));
		// a ring around a dot, so that it is visible on every shade
		if (marks.length)
			for (const part of ['outer', 'inner']) nodes.push(s('path', {d: marks.join(''), class: `step-mark ${part}`}));
		const bottom = ranks.length * high + 13;
		const last = doc.iterations;
		nodes.push(s('text', {x: LEFT, y: bottom, 'text-anchor': 'start', class: 'axis'}, 'iteration 1'));
		if (right - LEFT > 140)
			nodes.push(s('text', {x: right, y: bottom, 'text-anchor': 'end', class: 'axis'}, f.plain(last)));
		const find = (x, y) => {
			const [i, k] = [Math.floor((x - LEFT) / wide), Math.floor(y / high)];
			return i >= 0 && i < doc.steps.length && k >= 0 && k < ranks.length ? points[k * doc.steps.length + i] : null;
		};
		return {height: ranks.length * high + BOTTOM, nodes, points, find};
	};
}

const stepColumns = (doc, kind) => [
	{label: 'Iterations', head: true, cell: ({step}) => f.capital(stepName(step)), title: ({step}) => step.label},
	{label: 'Median compute', num: true, cell: ({step}) => f.duration(step.median_ns), title: ({step}) => f.exact(step.median_ns)},
	...shownRanks(doc).map((rank) => ({
		label: f.capital(rankName(rank)),
		unit: '%',
		num: true,
		cell: ({step, i}) => {
			const value = KINDS[kind].value(rank, step, i);
			return value === null ? f.NONE : `${value < 0 ? '−' : ''}${f.percent(Math.abs(100 * value))}`;
		},
		title: ({i}) => cellText(doc, kind, rank, i),
	})),
];

function map(doc, kind) {
	const {most} = stepCells(doc, kind);
	const {name} = KINDS[kind];
	return h(
		'div',
		{class: 'part'},
		chart({
			caption: name,
			label: `${name}: ${f.plural(doc.matched, 'rank')}, ${f.plural(doc.iterations, 'iteration')}`,
			hint: 'Point at a cell, or use the arrow keys.',
			steps: true,
			draw: stepMap(doc, kind),
			columns: stepColumns(doc, kind),
			rows: doc.steps.map((step, i) => ({step, i})),
		}),
		h(
			'p',
			{class: 'hint'},
			h('span', {class: 'heat-legend step-legend', 'aria-hidden': 'true'}),
			` 0 to ${f.percent(100 * most)} %. A dot marks a rank that computes longer than the median rank by more than 3 MAD and 5 %.`,
		),
	);
}

function choice(doc, kind, at) {
	const place = h('div', {}, map(doc, kind));
	const input = (word) =>
		h('input', {
			type: 'radio',
			name: 'over',
			value: word,
			checked: word === kind,
			on: {
				change: () => {
					at.keep({over: word === 'compute' ? '' : word});
					place.replaceChildren(map(doc, word));
				},
			},
		});
	return [
		h(
			'div',
			{class: 'toolbar'},
			h(
				'fieldset',
				{class: 'choice'},
				h('legend', {}, 'Value of a cell'),
				h('label', {}, input('compute'), h('span', {}, 'Compute')),
				h('label', {}, input('waiting'), h('span', {}, 'Waiting')),
			),
		),
		place,
	];
}

// A section of a job's page. It is filled when its numbers have arrived, because the server analyzes
// all ranks again for them; it is removed if there is nothing to compare.
export function rankSteps(job, query, at) {
	const place = h('section', {'aria-labelledby': 'steps'}, h('h2', {id: 'steps'}, 'Ranks over time'), h('p', {class: 'loading'}, 'Loading…'));
	const kind = query.get('over') === 'waiting' ? 'waiting' : 'compute';

	function fill({doc, refusal}) {
		place.lastChild.remove();
		if (refusal) place.append(refusalLine(refusal, `/jobs/${job.id}`));
		else if (doc.matched < 2 || doc.iterations < 2) place.remove();
		else
			place.append(
				h('p', {}, longerSentences(doc).join(' ')),
				...choice(doc, kind, at),
				h(
					'p',
					{class: 'hint'},
					'Iterations of the ranks are matched by their order. ',
					doc.steps.some((step) => step.n > 1) ? 'A column is the mean of iterations that follow each other. ' : '',
					excludedSentences(doc).join(' '),
				),
			);
	}

	answerOrRefusal(api.jobSteps(job.id, at.signal)).then(fill, (error) => {
		if (!at.signal.aborted) fill({refusal: error});
	});
	return place;
}
