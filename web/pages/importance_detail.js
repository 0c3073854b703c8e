// importance_detail.js - what opens beneath an operator: what it is, its weights,
// and its shapes; beneath the one without a name, the kernels that nobody knows.

import * as api from '../api.js';
import {facts, h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';
import {showFailure} from '../news.js';
import {sorted, table} from '../table.js';
import {shapeColumns} from './importance_columns.js';
import {kernelList} from './operator_kernels.js';

const LIMIT = 500;
const LONG = 60;

// A table that keeps its own order; nothing of it is in the address.
function sortable(caption, columns, rows) {
	const shown = table({caption, columns, rows, tall: rows.length > LONG, onsort: (sort) => shown.update({rows: sorted(rows, columns, sort), sort})});
	return shown.node;
}

function summary(row, doc) {
	const range = row.low === null || row.low === undefined ? null : `${o.share(row.low)} to ${o.share(row.high)}`;
	const node = facts([
		['What', row.what], ['Group', row.group], ['dtype', row.dtype], ['Phase', row.phase],
		[doc.set ? 'Profiles' : 'Runs', `${f.count(row.runs)} of ${f.count(doc.runs)}`],
		['95% interval', range ?? doc.interval_why],
		['Waits for ranks', row.collective ? 'yes: its time includes waiting, so it has no headroom' : null],
		['S above 1', row.over_pct ? `${o.shareOfPercent(row.over_pct)} of its time` : null],
	]);
	node.classList.add('in-line');
	return node;
}

// Shared by the three tables: what is open in one is open in all. `changed` is
// told whenever the set of open rows is another, or shapes have come.
export function details(doc, words, opened, at, changed) {
	const open = new Set(doc.items.filter((r) => opened.includes(o.nameOf(r))));
	const known = new Map();

	async function load(row, place) {
		place.setAttribute('aria-busy', 'true');
		try {
			if (row.operator === null)
				known.set(row, {kernels: await api.unattributed({limit: 100}, at.signal)});
			else
				known.set(row, await api.importanceShapes(row.operator, {...words, weight: null, limit: LIMIT}, at.signal));
			draw(row, place);
			changed();
		} catch (error) {
			if (at.signal.aborted)
				return;
			place.replaceChildren(h('p', {class: 'sentence'}, error.message));
			showFailure(error, () => load(row, place));
		}
		place.removeAttribute('aria-busy');
	}

	function draw(row, place) {
		const {items, kernels, platforms, next} = known.get(row);
		if (kernels) {
			place.replaceChildren(kernelList(kernels.items, 'Of all runs stored here, whatever is filtered above.'));
			return;
		}
		const columns = shapeColumns(items, platforms.map((p) => p.name), row.collective);
		place.replaceChildren(items.length ? sortable(`Shapes of ${row.operator}`, columns, items)
			: h('p', {class: 'quiet'}, 'None of its time has known sizes.'),
		next ? h('p', {class: 'hint'}, `The ${LIMIT} shapes with most time; there are more.`) : '');
	}

	function fill(row, place) {
		const list = h('div', {class: 'shapes'}, h('p', {class: 'loading'}, 'Loading…'));
		place.append(summary(row, doc), list);
		if (known.has(row))
			draw(row, list);
		else
			load(row, list);
	}

	return {open, fill, changed, name: o.nameOf, shapes: (row) => known.get(row)?.items,
		chosen: () => [...open].map(o.nameOf).join(',')};
}
