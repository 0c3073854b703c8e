// catalogue_lists.js - tabs: operators; platforms with their peaks and where the
// figures are from. Each with what is added here.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {listing} from '../listing.js';
import * as o from '../operators.js';
import {ownEditor} from './catalogue_own.js';

export const ownMark = (r) => (r.own ? h('span', {class: 'mark'}, 'own') : null);

const OPERATORS = [
	{label: 'Operator', head: true, class: 'operator', up: 'name', down: '-name', value: (r) => r.name, cell: (r) => [h('code', {}, r.name), ' ', ownMark(r)].filter(Boolean)},
	{label: 'Group', up: 'group', down: '-group', value: (r) => r.group, cell: (r) => r.group || f.NONE},
	{label: 'What it does', class: 'wide', cell: (r) => [r.what || f.NONE, r.specific === false ? h('span', {class: 'quiet'}, ' (says nothing specific)') : null,
		r.collective ? h('span', {class: 'quiet'}, ' (waits for other ranks)') : null].filter(Boolean)},
	{label: 'Sizes', class: 'wide', cell: (r) => (r.sizes?.length ? h('code', {}, r.sizes.join(' ')) : f.NONE)},
];
const OPERATOR = {name: 'my_norm', what: 'normalises rows in our own way', group: 'norm', sizes: ['tokens', 'hidden']};

function peaks(r) {
	return h('ul', {class: 'peaks'}, Object.entries(r.peak_flops ?? {}).filter(([, peak]) => peak > 0).sort((a, b) => b[1] - a[1])
		.map(([dtype, peak]) => h('li', {}, h('code', {}, dtype), ' ', o.amount(peak, 'FLOP/s'))));
}
const PLATFORMS = [
	{label: 'Platform', head: true, up: 'name', down: '-name', value: (r) => r.name, cell: (r) => [r.name, ' ', ownMark(r)].filter(Boolean)},
	{label: 'Vendor', up: 'vendor', down: '-vendor', value: (r) => r.vendor, cell: (r) => r.vendor || f.NONE},
	{label: 'Bandwidth', num: true, down: 'bandwidth', up: '-bandwidth', value: (r) => r.bytes_per_s, cell: (r) => o.amount(r.bytes_per_s, 'B/s')},
	{label: 'Peaks', cell: peaks},
	{label: 'Launch floor', unit: 'µs', num: true, down: 'floor', up: '-floor', value: (r) => r.launch_floor_ns ?? null,
		cell: (r) => f.inUnit(r.launch_floor_ns, 'µs', 1), title: () => 'below this a kernel\'s time is mostly its launch: no headroom'},
	{label: 'Figures from', class: 'wide', cell: (r) => r.source || f.NONE},
];
const PLATFORM = {name: 'MyGPU', vendor: 'NVIDIA', source: 'measured here', devices: ['MyGPU 80GB'], peak_flops: {bf16: 1e14, fp32: 5e13},
	bytes_per_s: 2e12, launch_floor_ns: 3000};

// A list of the catalogue with its search, and the editor of its own part.
async function list(what, {caption, columns, example, text, hint}, query, at) {
	const refresh = () => api.catalogue(what, at.signal);
	const place = h('div');
	let shown;
	const one = what.slice(0, -1);

	function build(doc, q) {
		shown = listing({caption, columns, rows: doc.items, query: q, usual: '', what: one, text, at, empty: `There is no ${one}.`});
		place.replaceChildren(shown.node);
	}

	const doc = await refresh();
	build(doc, query);
	const editor = ownEditor(what, doc, example, (next) => build(next, new URLSearchParams(location.search)), refresh);
	return {save: () => shown.save(), node: h('div', {class: 'part'}, hint ? h('p', {class: 'hint'}, hint) : '', editor.node, place)};
}

export const operatorsTab = (query, at) => list('operators', {caption: 'Operators of the catalogue', columns: OPERATORS, example: OPERATOR,
	text: (r) => [r.name, r.group, r.what].join(' ')}, query, at);
export const platformsTab = (query, at) => list('platforms', {caption: 'Platforms', columns: PLATFORMS, example: PLATFORM,
	text: (r) => [r.name, r.vendor, r.source].join(' '),
	hint: 'Peaks are dense, without sparsity. Where a platform has no peak for a type, nothing stands in for it: the bound is unknown.'}, query, at);
