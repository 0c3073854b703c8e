// run_groups.js - tab: kernels that are launched together, with support and confidence.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {exportLink, largestUnit, share, timeColumn} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import * as o from '../lib/operators.js';

const EVIDENCE = {
	call: 'launched by one API call',
	sequence: 'always adjacent, with different neighbors',
	catalog: 'always adjacent, and parts of one operator',
};

const names = (group) => group.kernels.map((k) => k.distinct_name || k.name);

function columns(rows, all) {
	return [
		{
			label: 'Kernels, in order',
			head: true,
			class: 'kernel',
			up: 'name',
			down: '-name',
			value: (r) => names(r).join(' '),
			title: (r) => r.kernels.map((k) => k.name).join('\n'),
			cell: (r) => [
				h(
					'span',
					{class: 'together'},
					names(r).map((name) => h('code', {}, name)),
				),
				h('span', {class: 'narrow-only'}, f.duration(r.total_ns)),
			],
		},
		{
			label: 'Operator',
			up: 'operator',
			down: '-operator',
			value: (r) => r.operator,
			cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE),
			title: (r) => (r.operator ? null : 'unknown, or not one operator'),
		},
		timeColumn('Total', 'total', largestUnit(rows.map((r) => r.total_ns))),
		{
			label: 'Time',
			unit: '%',
			num: true,
			class: 'time',
			cell: (r) => share(all ? (r.total_ns * 100) / all : null),
			title: () => (all ? "share of the run's kernel time" : 'unknown'),
		},
		{
			label: 'Support',
			num: true,
			down: 'support',
			up: '-support',
			value: (r) => r.support,
			cell: (r) => f.count(r.support),
			title: () => 'how often they were launched together',
		},
		{
			label: 'Confidence',
			num: true,
			down: 'confidence',
			up: '-confidence',
			value: (r) => r.confidence,
			cell: (r) => o.share(r.confidence),
			title: () => 'share of the launches of the rarest kernel that were launched with the others',
		},
		{
			label: 'Alone',
			num: true,
			down: 'alone',
			up: '-alone',
			value: (r) => r.alone,
			cell: (r) => f.count(r.alone),
			title: () => 'launches of these kernels without the others',
		},
		{
			label: 'Evidence',
			class: 'wide',
			up: 'evidence',
			down: '-evidence',
			value: (r) => r.evidence,
			cell: (r) => EVIDENCE[r.evidence] ?? r.evidence,
		},
	];
}

// The details of a group: the full names of its kernels, in order.
const fill = (group, place) =>
	place.append(
		h(
			'ol',
			{class: 'strata'},
			group.kernels.map((k) => h('li', {}, h('code', {class: 'full'}, k.name))),
		),
	);

export async function groupTab(run, query, at) {
	const {doc, refusal} = await answerOrRefusal(api.groups(run.id, {signal: at.signal}));
	if (refusal) return {node: refusalLine(refusal, `/runs/${run.id}?tab=groups`)};
	const {items} = doc;
	const list = listing({
		caption: 'Launched together',
		columns: columns(items, run.kernel_ns),
		links: h(
			'span',
			{class: 'links'},
			['csv', 'md'].map((format) => exportLink(run.id, 'groups', format, {})),
		),
		rows: items,
		query,
		defaultSort: 'total',
		rowName: 'group',
		at,
		empty: 'No kernels of this run are always launched together.',
		text: (r) => [r.operator, ...r.kernels.map((k) => k.name)].filter(Boolean).join(' '),
		detail: {open: new Set(), fill, changed: () => {}, name: (r) => names(r).join(', ')},
	});
	return {
		save: list.save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint wide-text'},
				'Kernels that are always launched together, ' +
					'for example a split matrix product and its reduction. Read their times as one.',
			),
			list.node,
		),
	};
}
