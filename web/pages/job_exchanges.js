// job_exchanges.js - the all-to-alls of a job: a heatmap per process group, which is a table with
// shaded cells.

import {refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import {
	cellText,
	cellTitle,
	cellUnit,
	columnName,
	largest,
	mapName,
	mapSentences,
	rankName,
	shade,
} from '../lib/exchange_map.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';

function columns(map) {
	const unit = cellUnit(map);
	const scale = largest(map);
	const bytes = map.unit === 'bytes';
	return [
		{label: bytes ? 'From rank' : 'Rank', head: true, cell: ({rank}) => rankName(rank), class: 'heat-rank'},
		bytes
			? {label: 'Received in total', num: true, cell: ({rank}) => f.bytes(rank.received_bytes)}
			: {label: 'Mean', num: true, cell: ({rank}) => f.duration(rank.waiting_ns)},
		...map.columns.map((column, i) => ({
			label: columnName(map, column),
			num: true,
			class: 'heat',
			cell: ({cells}) =>
				h('span', {style: {'--heat': shade(cells[i], scale).toFixed(3)}}, cellText(cells[i], unit)),
			title: ({rank, cells}) => cellTitle(map, rank, column, cells[i]),
		})),
	];
}

function heatmap(map) {
	const unit = cellUnit(map);
	const rows = map.ranks.map((rank, i) => ({rank, cells: map.cells[i]}));
	const what =
		map.unit === 'bytes'
			? `Columns: the rank that receives. Cells: what the row's rank sends to it, in ${unit.name}.`
			: `Columns: collectives in order. Cells: time above the shortest rank, in ${unit.name}.`;
	return h(
		'div',
		{class: 'part'},
		h('h3', {}, mapName(map)),
		h('p', {}, mapSentences(map).join(' ')),
		rows.length
			? [
					table({caption: `All-to-all of ${mapName(map)}`, columns: columns(map), rows}).node,
					h(
						'p',
						{class: 'hint'},
						`${what} `,
						h('span', {class: 'heat-legend', 'aria-hidden': 'true'}),
						` 0 to ${cellText(largest(map), unit)} ${unit.name}`,
					),
				]
			: null,
	);
}

// The section of a job's page; null if the job has no all-to-all.
export function exchanges(job, {doc, refusal}, here) {
	if (doc && !doc.items.length) return null;
	return h(
		'section',
		{'aria-labelledby': 'exchanges'},
		h(
			'div',
			{class: 'toolbar'},
			h('h2', {id: 'exchanges'}, 'All-to-all balance'),
			doc
				? h('span', {class: 'links'}, fileLink('CSV', api.jobExchangesFile(job.id), `job-${job.id}-all-to-all.csv`))
				: null,
		),
		refusal ? refusalLine(refusal, here) : null,
		doc?.items.map(heatmap),
		doc?.excluded
			? h('p', {class: 'hint'}, `${f.plural(doc.excluded, 'more group')} with fewer calls or less imbalance.`)
			: null,
	);
}
