// exchange_map.js - how evenly the all-to-alls of a job load its ranks: the sentence about a map, its
// unit, and the shade and the text of its cells. Pure.

import * as f from './format.js';

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

// The unit for all cells of a map: {name, scale}. The largest value is at least 1 in it.
export function cellUnit(map) {
	const most = largest(map);
	if (map.unit === 'ns') {
		const name = ['s', 'ms', 'µs'].find((unit) => most >= f.UNITS[unit]) ?? 'ns';
		return {name, scale: f.UNITS[name]};
	}
	let i = 0;
	while (i < BYTE_UNITS.length - 1 && most >= 1024 ** (i + 1)) i++;
	return {name: BYTE_UNITS[i], scale: 1024 ** i};
}

// The largest value of the cells; 0 if there is none.
export const largest = (map) => map.cells.flat().reduce((most, v) => Math.max(most, v ?? 0), 0);

// The shade of a value from 0 to 1, relative to the largest cell.
export const shade = (value, most) => (value === null || !(most > 0) ? 0 : value / most);

export const cellText = (value, unit) =>
	value === null ? f.NONE : f.count(value / unit.scale, unit.scale === 1 || value === 0 ? 0 : 2);

export const rankName = (r) => (r.rank === null ? `run ${r.run}` : `rank ${r.rank}`);

// "3" for a rank, "#2" for an unknown one at this position, "10–14" for collectives.
export function columnName(map, column) {
	if (map.unit === 'bytes') return column.rank === null ? `#${column.from}` : String(column.rank);
	return column.n === 1 ? String(column.from + 1) : `${column.from + 1}–${column.from + column.n}`;
}

export function cellTitle(map, row, column, value) {
	const from = rankName(row);
	if (map.unit === 'bytes') {
		const to = column.rank === null ? `the rank at position ${column.from}` : `rank ${column.rank}`;
		return value === null ? `what ${from} sends is unknown` : `${from} sends ${f.count(value)} bytes to ${to}`;
	}
	const which =
		column.n === 1
			? `collective ${column.from + 1}`
			: `collectives ${column.from + 1} to ${column.from + column.n}, mean`;
	return `${from}, ${which}: ${value === null ? 'unknown' : `${f.exact(value)} above the shortest rank`}`;
}

export const mapName = (map) => [map.group === null ? map.short_name : `group ${map.group}`, map.kind].join(', ');

// The rank that receives the most, if it is shown.
const most = (map) =>
	map.ranks.reduce((best, r) => ((r.received_bytes ?? -1) > (best?.received_bytes ?? -1) ? r : best), null);

// "the ranks", or among how many of them.
const ranksOf = (map) =>
	map.group_size === null || map.imbalance_ranks < map.group_size
		? `the ${map.imbalance_ranks} ranks with known bytes${map.group_size === null ? '' : ` of ${map.group_size}`}`
		: 'the ranks';

// Sentences about a map: what it shows, what is missing, and why.
export function mapSentences(map) {
	const out = [];
	if (map.imbalance !== null) {
		const top = most(map);
		out.push(
			`Imbalance ${f.count(map.imbalance, 2)}: ${rankName(top)} receives ${f.bytes(top.received_bytes)}, ` +
				`${f.count(map.imbalance, 2)} times the mean of ${ranksOf(map)}.`,
		);
	} else if (map.unit === 'bytes') {
		out.push(`Imbalance unknown: ${map.imbalance_reason}.`);
	}
	if (map.unit === 'ns') out.push(`Bytes per rank are unknown: ${map.reason}.`);
	else if (map.reason !== null)
		out.push(`The cells cover ${f.count(map.known_calls)} of ${f.plural(map.calls, 'call')}: ${map.reason}.`);
	if (map.contradictions)
		out.push(
			`${f.plural(map.contradictions, 'pair')} of ranks ${map.contradictions === 1 ? 'states' : 'state'} ` +
				'different bytes for what one sends and the other receives.',
		);
	if (map.group_size !== null && map.unit === 'bytes' && map.ranks.length + map.ranks_excluded < map.group_size)
		out.push(`${map.ranks.length + map.ranks_excluded} of ${map.group_size} ranks of the group are in the job.`);
	if (map.ranks_excluded || map.columns_excluded)
		out.push(
			`Shown are the ${map.ranks.length} ranks and ${map.columns.length} columns that deviate most from the mean; ` +
				`${f.plural(map.ranks_excluded, 'rank')} and ${f.plural(map.columns_excluded, 'column')} are not shown.`,
		);
	return out;
}
