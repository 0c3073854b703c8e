// job.js - one job (a distributed execution): compute and waiting time per rank and per collective,
// and a comparison with another job.

import {answerOrRefusal} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {largestUnit} from '../lib/columns.js';
import {compareUrl} from '../lib/comparison.js';
import {facts, field, h} from '../lib/dom.js';
import {findingList, refusalBanner} from '../lib/findings.js';
import * as f from '../lib/format.js';
import {sorted, table} from '../lib/table.js';
import {exchanges} from './job_exchanges.js';
import {awaitedTitle, rankMaps} from './job_ranks.js';
import {rankSteps} from './job_steps.js';
import {jobName} from './jobs.js';

const rankName = (r) => (r.rank === null ? `run ${r.run}` : `rank ${r.rank}`);

const time = (label, key, unit) => ({
	label,
	unit,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => f.inUnit(r[key], unit),
	title: (r) => f.exact(r[key]),
});

// The rank for which a rank waits longest, with its share of the waiting.
function mostAwaited(r, rows) {
	const waits = r.waits_for_ns.map((ns) => ns ?? 0);
	const ns = Math.max(0, ...waits);
	return ns > 0 && r.waiting_ns > 0 ? {rank: rows[waits.indexOf(ns)], ns, share: ns / r.waiting_ns} : null;
}

const MISSING_RANKS = 'ranks of a group are missing, and waiting for them is counted as transfer';

// `partial`: ranks of some groups are missing.
function rankColumns(rows, partial) {
	const iteration = largestUnit(rows.map((r) => r.iteration_ns));
	const whole = largestUnit(rows.flatMap((r) => [r.compute_ns, r.collective_ns]));
	const late = largestUnit(rows.map((r) => r.late_ns));
	const bounded = (column, key, word) => ({
		...column,
		title: (r) => (partial && r[key] !== null ? `${word} ${f.exact(r[key])}: ${MISSING_RANKS}` : f.exact(r[key])),
	});
	return [
		{
			label: 'Rank',
			head: true,
			num: true,
			up: 'rank',
			down: '-rank',
			value: (r) => r.rank,
			cell: (r) => f.plain(r.rank),
		},
		bounded(time('Waiting', 'waiting_ns', whole), 'waiting_ns', 'at least'),
		{
			label: 'Waits mostly for',
			cell: (r) => {
				const most = mostAwaited(r, rows);
				return most ? [rankName(most.rank), h('span', {class: 'quiet'}, ` ${f.percent(100 * most.share)} %`)] : f.NONE;
			},
			title: (r) => {
				const most = mostAwaited(r, rows);
				if (!most) return r.waiting_ns === null ? 'how long it waits is unknown' : 'it waits for no rank alone';
				return awaitedTitle(rankName(r), most.ns, rankName(most.rank));
			},
		},
		{...time('Others wait', 'caused_ns', whole), title: (r) => `${f.exact(r.caused_ns)}: the longest waiting in these collectives`},
		{
			label: 'Shortest in',
			num: true,
			down: 'shortest',
			up: '-shortest',
			value: (r) => r.last_calls,
			cell: (r) =>
				r.last_calls === null ? f.NONE : `${f.count(r.last_calls)} of ${f.count(r.matched_calls)}`,
			title: () => 'collectives in which this rank alone is shortest, so arrives last; needs no clock',
		},
		{
			label: 'Arrives last',
			unit: '%',
			num: true,
			down: 'last',
			up: '-last',
			value: (r) => r.last_share,
			cell: (r) => (r.last_share === null ? f.NONE : f.percent(r.last_share * 100)),
			title: (r) =>
				r.last_share === null ? 'unknown: the clocks of the ranks cannot be aligned' : 'share of its collectives',
		},
		time('Delay', 'late_ns', late),
		{
			label: 'Run',
			class: 'wide',
			cell: (r) => [
				h('a', {href: `/runs/${r.run}`}, r.name || `run ${r.run}`),
				' ',
				h('span', {class: 'quiet'}, `#${r.run}`),
				' ',
				r.straggler ? h('span', {class: 'mark'}, 'straggler') : null,
			],
		},
		time('Compute', 'compute_ns', whole),
		time('Collectives', 'collective_ns', whole),
		bounded(time('Transfer', 'transfer_ns', whole), 'transfer_ns', 'at most'),
		time('Mean iteration', 'iteration_ns', iteration),
		{label: 'Iterations', num: true, cell: (r) => f.count(r.iterations)},
		{label: 'Host', up: 'host', down: '-host', value: (r) => r.host, cell: (r) => r.host ?? f.NONE},
		{label: 'Device', class: 'wraps', cell: (r) => r.device ?? f.NONE},
	];
}

// Transfer and waiting time in each rank's collectives.
function bars(rows) {
	const scale = rows.reduce((n, r) => Math.max(n, r.collective_ns ?? 0), 0);
	if (!scale || rows.length < 2 || rows.some((r) => r.transfer_ns === null || r.waiting_ns === null)) return null;
	const part = (r, key, name) =>
		h(
			'span',
			{
				class: `stack-part ${name}`,
				style: {width: `${(r[key] * 100) / scale}%`},
				title: `${key === 'transfer_ns' ? 'Transfer' : 'Waiting'}: ${f.duration(r[key])}`,
			},
			h('span', {}, f.duration(r[key])),
		);
	return h(
		'div',
		{class: 'stacks ranks'},
		h(
			'p',
			{class: 'legend', 'aria-hidden': 'true'},
			h('span', {class: 'swatch communication'}),
			'transfer ',
			h('span', {class: 'swatch idle'}),
			'waiting',
		),
		rows.map((r) =>
			h(
				'div',
				{class: 'stack-row'},
				h('span', {class: 'stack-name'}, rankName(r)),
				h(
					'div',
					{
						class: 'stack',
						role: 'img',
						'aria-label':
							`${rankName(r)}: transfer ${f.duration(r.transfer_ns)}, ` +
							`waiting ${f.duration(r.waiting_ns)}`,
					},
					part(r, 'transfer_ns', 'communication'),
					part(r, 'waiting_ns', 'idle'),
				),
				h('span', {class: 'stack-sum'}, f.duration(r.collective_ns)),
			),
		),
	);
}

// "group 1, 2 of 2 ranks", or the kernel if no record names a group.
function groupName(c) {
	if (c.group === null) return h('code', {}, c.short_name || c.function);
	const size = c.group_size === null ? '' : ` of ${c.group_size}`;
	return [c.group, ' ', h('span', {class: 'quiet'}, `${c.runs.length}${size} ranks`)];
}

const number = (label, key, unit, shown, title) => ({
	label,
	unit,
	num: true,
	down: key,
	up: `-${key}`,
	value: (c) => c[key],
	cell: (c) => (c[key] === null ? f.NONE : shown(c[key], c)),
	title,
});

const linkTitle = (c) =>
	c.link_reason ?? `${c.link === 'intra_node' ? 'inside a node' : 'between nodes'}: ${c.link_gb_s} GB/s`;

// The group of a collective and what its calls have in common.
const groupColumns = () => [
	{
		label: 'Group',
		head: true,
		class: 'kernel',
		up: 'name',
		down: '-name',
		value: (c) => c.group ?? c.function,
		cell: groupName,
		title: (c) => `${c.function}${c.group_ranks === null ? '' : `, ranks ${c.group_ranks}`}`,
	},
	{
		label: 'Kind',
		up: 'kind',
		down: '-kind',
		value: (c) => c.kind,
		cell: (c) => (c.dtype ? [c.kind ?? f.NONE, ' ', h('span', {class: 'quiet'}, c.dtype)] : c.kind ?? f.NONE),
	},
	{
		label: 'Size',
		num: true,
		down: 'bytes',
		up: '-bytes',
		value: (c) => c.bytes,
		cell: (c) => (c.bytes === null ? f.NONE : f.bytes(c.bytes)),
		title: (c) =>
			c.bytes === null
				? `${c.reason}${c.elements === null ? '' : `; ${f.count(c.elements)} elements`}`
				: `${f.count(c.bytes)} bytes per call`,
	},
	{
		label: 'Calls',
		num: true,
		down: 'count',
		up: '-count',
		value: (c) => c.calls,
		cell: (c) => f.count(c.calls),
		title: () => 'per rank',
	},
];

function collectiveColumns(job) {
	const unit = largestUnit(job.collectives.map((c) => c.transfer_ns));
	const skew = largestUnit(job.collectives.map((c) => c.skew_ns));
	return [
		...groupColumns(),
		{
			...time('Transfer', 'transfer_ns', unit),
			cell: (c) => `${c.upper_bound ? '≤ ' : ''}${f.inUnit(c.transfer_ns, unit)}`,
			title: (c) =>
				f.exact(c.transfer_ns) +
				(c.upper_bound ? `, an upper bound: ${c.runs.length} of ${c.group_size} ranks` : ''),
		},
		number(
			'Bus bandwidth',
			'busbw_gb_s',
			'GB/s',
			(x, c) => `${c.upper_bound ? '≥ ' : ''}${x.toPrecision(3)}`,
			(c) => (c.busbw_gb_s === null ? c.reason ?? 'the kind or the group size has no factor' : ''),
		),
		number('Of link', 'link_pct', '%', (x) => f.percent(x), linkTitle),
		{...time('Skew', 'skew_ns', skew), title: () => 'mean difference of the longest and the shortest duration'},
	];
}

// The time of each rank in each collective, and how often the rank arrives last.
function rankTimeColumns(job) {
	const unit = largestUnit(job.collectives.flatMap((c) => c.total_ns));
	return [
		...groupColumns(),
		...job.ranks.map((r, i) => ({
			label: rankName(r),
			unit,
			num: true,
			down: `r${i}`,
			up: `-r${i}`,
			value: (c) => (c.runs.includes(r.run) ? c.total_ns[i] : null),
			cell: (c) => (c.runs.includes(r.run) ? f.inUnit(c.total_ns[i], unit) : f.NONE),
			title: (c) =>
				!c.runs.includes(r.run)
					? 'the rank is not in this group'
					: c.transfer_ns === null
						? f.exact(c.total_ns[i])
						: `${f.exact(c.total_ns[i])}, of which ${f.exact(c.total_ns[i] - c.transfer_ns)} waiting; ` +
							`arrives last at ${f.count(c.last_calls[i])} of ${f.count(c.calls)}, ` +
							`others wait up to ${f.exact(c.caused_ns[i])} for it`,
		})),
	];
}

// A table with its own order, which the address contains under `word`.
function ownTable(caption, columns, rows, word, query, at, empty) {
	const first = query.get(word) ?? '';
	const shown = table({
		caption,
		columns,
		rows: sorted(rows, columns, first),
		sort: first,
		empty,
		onsort: (sort) => {
			shown.update({rows: sorted(rows, columns, sort), sort});
			at.keep({[word]: sort});
		},
	});
	return shown.node;
}

function compareForm(job, others) {
	const list = others.filter((j) => j.id !== job.id);
	if (!list.length) return h('p', {class: 'quiet'}, 'This project has no other job to compare with.');
	const select = h(
		'select',
		{name: 'base'},
		list.map((j) => h('option', {value: `job:${j.id}`}, `${jobName(j)} (#${j.id})`)),
	);
	const link = h('a', {class: 'button'}, 'Compare');
	const updateLink = () => link.setAttribute('href', compareUrl({base: select.value, head: `job:${job.id}`}));
	select.addEventListener('change', updateLink);
	updateLink();
	return h(
		'div',
		{class: 'bar'},
		field('Base: another job', select, 'this one is the head'),
		h('div', {class: 'actions'}, link),
	);
}

export async function page(view, query, at) {
	// One after the other: each analyzes all ranks, and the server runs few such requests at a time.
	const job = await api.job(at.id, at.signal);
	const [balance, {items: others}] = await Promise.all([
		answerOrRefusal(api.jobExchanges(at.id, at.signal)),
		api.jobs({project: job.project}, at.signal),
	]);
	const name = jobName(job);
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/jobs'}, 'Jobs'), ` / #${job.id}`),
		h('h1', {}, name),
		h('p', {class: 'headline-line'}, h('strong', {}, `${f.capital(job.headline, job.operators.map((o) => o.operator))}.`)),
		refusalBanner(job) ?? '',
		findingList(job) ?? '',
		facts([
			['Project', job.project],
			['Runs', h('a', {href: `/runs?job=${job.id}`}, `list of ${f.plural(job.runs.length, 'run')}`)],
			['Upload', job.upload && h('a', {href: `/runs?upload=${job.upload}`}, `#${job.upload}`)],
			['Added', f.moment(job.created_at)],
		]),
		h(
			'section',
			{'aria-labelledby': 'ranks'},
			h('h2', {id: 'ranks'}, 'Ranks'),
			bars(job.ranks) ?? '',
			ownTable('Ranks', rankColumns(job.ranks, job.collectives.some((c) => c.upper_bound)), job.ranks, 'sort', query, at),
			h(
				'p',
				{class: 'hint'},
				'Transfer is the shortest time that any rank spent in the same collective; ',
				'the rest of a rank is waiting. ',
				job.unmatched
					? `${f.plural(job.unmatched, 'collective')} missing in some rank ` +
							`${job.unmatched === 1 ? 'is' : 'are'} not split. `
					: '',
				job.clocks_agree ? '' : 'The clocks of the ranks cannot be aligned, so the last arrival is unknown.',
			),
		),
		rankMaps(job) ?? '',
		job.ranks.length > 1 ? rankSteps(job, query, at) : '',
		h(
			'section',
			{'aria-labelledby': 'collectives'},
			h('h2', {id: 'collectives'}, 'Collectives'),
			ownTable(
				'Collectives',
				collectiveColumns(job),
				job.collectives,
				'by',
				query,
				at,
				'No collective is in all ranks.',
			),
			h(
				'p',
				{class: 'hint'},
				'Collectives are matched by process group and number; without a group by kernel and order. Sizes and ',
				'bus bandwidth are those of nccl-tests, the bandwidth of the transfer time.',
			),
			job.collectives_excluded
				? h(
						'p',
						{class: 'hint'},
						`${f.count(job.collectives_excluded)} more groups, kinds and sizes with less transfer time are not listed.`,
					)
				: '',
			job.collectives.length && job.ranks.length > 1
				? ownTable('Time per rank', rankTimeColumns(job), job.collectives, 'of', query, at)
				: '',
		),
		exchanges(job, balance, `/jobs/${job.id}`) ?? '',
		h('section', {'aria-labelledby': 'other'}, h('h2', {id: 'other'}, 'Compare'), compareForm(job, others)),
	);
	return name;
}
