// job_ranks.js - two heatmaps of a job, which are tables with shaded cells: which rank waits for
// which, and how long each operator takes on each rank.

import {largestUnit} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import {rankName, shade} from '../lib/exchange_map.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';

// Ranks for which the others wait less than this share of all waiting have no column.
const MIN_SHARE = 0.01;

// An operator's cells are darkest at the largest excess over the median, and at least at this one,
// so that noise is not dark: 5 %, from which on an operator counts as slow.
const MIN_EXCESS = 0.05;

// The largest number of operators that have a column.
export const MAX_OPERATORS = 16;

const heat = (shown, text) => h('span', {style: {'--heat': shown.toFixed(3)}}, text);
const rankColumn = {label: 'Rank', head: true, cell: ({rank}) => rankName(rank), class: 'heat-rank'};

// The indices of the ranks for which others wait, and whose column is shown.
export function awaited(ranks) {
	const sums = ranks.map((_, last) => ranks.reduce((sum, r) => sum + (r.waits_for_ns[last] ?? 0), 0));
	const all = sums.reduce((sum, n) => sum + n, 0);
	return sums.flatMap((n, last) => (n > all * MIN_SHARE ? [last] : []));
}

// How long a rank waits for another. The time is that of collectives at which the other alone arrives
// last; until the rank before it arrives, the waiting is for that one, too.
export const awaitedTitle = (rank, ns, last) =>
	`${rank} waits ${f.exact(ns)} in collectives at which ${last} arrives last; for ${last} alone at most as long`;

function waits({ranks}) {
	const columns = awaited(ranks);
	if (!columns.length) return null;
	const most = Math.max(...ranks.flatMap((r) => columns.map((i) => r.waits_for_ns[i] ?? 0)));
	const unit = largestUnit([most]);
	const title = (rank, last) => {
		if (rank === last) return `collectives at which ${rankName(rank)} arrives last`;
		const ns = rank.waits_for_ns[ranks.indexOf(last)];
		return ns === null
			? `how long ${rankName(rank)} waits is unknown`
			: awaitedTitle(rankName(rank), ns, rankName(last));
	};
	return h(
		'div',
		{class: 'part'},
		h('h3', {}, 'Waiting between ranks'),
		table({
			caption: 'Waiting by the rank that arrives last',
			columns: [
				rankColumn,
				{
					label: 'Waiting',
					unit: '%',
					num: true,
					cell: ({rank}) => f.percent(rank.waiting_share === null ? null : 100 * rank.waiting_share),
					title: ({rank}) => `of the ${f.duration(rank.recorded_ns)} that are recorded`,
				},
				...columns.map((i) => ({
					label: `For ${rankName(ranks[i])}`,
					unit,
					num: true,
					class: 'heat',
					cell: ({rank}) => {
						const ns = rank.waits_for_ns[i];
						return ns === null ? f.NONE : heat(shade(ns, most), f.inUnit(ns, unit));
					},
					title: ({rank}) => title(rank, ranks[i]),
				})),
			],
			rows: ranks.map((rank) => ({rank})),
		}).node,
		h(
			'p',
			{class: 'hint'},
			'In each collective, the ranks wait for the one with the shortest duration, which arrives last. ',
			columns.length < ranks.length
				? `${f.plural(ranks.length - columns.length, 'rank')} with less than 1 % of the waiting ` +
						`${ranks.length - columns.length === 1 ? 'has' : 'have'} no column.`
				: '',
		),
	);
}

// How much longer than on the median rank: 0.1 is 10 %; null if that is unknown.
export function excess(operator, i) {
	const ns = operator.total_ns[i];
	return ns === null || !(operator.median_ns > 0) ? null : ns / operator.median_ns - 1;
}

const excessText = (operator, i) => {
	const more = excess(operator, i);
	if (more !== null) return f.signedPercent(100 * more).replace(' %', '');
	return operator.total_ns[i] ? f.duration(operator.total_ns[i]) : f.NONE;
};

function operatorTitle(operator, rank, i) {
	const ns = operator.total_ns[i];
	if (ns === null) return `the operators of ${rankName(rank)} are unknown`;
	return (
		`${f.exact(ns)} in ${f.plural(operator.launches[i], 'launch', 'launches')}; ` +
		`median rank: ${f.exact(operator.median_ns)} in ${f.count(operator.median_launches)}`
	);
}

// The operators that have a column: those that are slow on some rank, then those with the most time.
export function shownOperators(operators) {
	const slow = operators.filter((o) => o.slow_runs.length);
	return [...slow, ...operators.filter((o) => !o.slow_runs.length)].slice(0, MAX_OPERATORS);
}

function byOperator({ranks, operators}) {
	const shown = shownOperators(operators);
	if (!shown.length || ranks.length < 2) return null;
	const most = Math.max(MIN_EXCESS, ...shown.flatMap((o) => ranks.map((_, i) => excess(o, i) ?? 0)));
	return h(
		'div',
		{class: 'part'},
		h('h3', {}, 'Operators by rank'),
		table({
			caption: 'Time of each operator, above the median rank',
			columns: [
				rankColumn,
				...shown.map((o) => ({
					label: o.operator ?? 'unattributed',
					unit: '%',
					num: true,
					class: 'heat',
					cell: ({i}) => heat(shade(Math.max(0, excess(o, i) ?? 0), most), excessText(o, i)),
					title: ({rank, i}) => operatorTitle(o, rank, i),
				})),
			],
			rows: ranks.map((rank, i) => ({rank, i})),
		}).node,
		h(
			'p',
			{class: 'hint'},
			'Operators that are slow on some rank are first, then those with the most time. ',
			operators.length > shown.length
				? `${f.plural(operators.length - shown.length, 'more operator')} with less time. `
				: '',
			h('span', {class: 'heat-legend', 'aria-hidden': 'true'}),
			` 0 to ${f.percent(100 * most)} % above the median rank`,
		),
	);
}

// The section of a job's page; null if nothing is known that could be shown.
export function rankMaps(job) {
	const parts = [waits(job), byOperator(job)].filter(Boolean);
	return parts.length
		? h('section', {'aria-labelledby': 'balance'}, h('h2', {id: 'balance'}, 'Balance of the ranks'), parts)
		: null;
}
