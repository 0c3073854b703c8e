// importance.js - what matters across the fleet, or in a reference set: its
// sentence, what it does not tell, what is weighed, and its three tables. What
// is filtered, sorted, searched and opened is in the address.

import * as api from '../api.js';
import {h} from '../dom.js';
import {listing} from '../listing.js';
import {showFailure} from '../news.js';
import {tabs} from '../tabs.js';
import {generalColumns, rooflineColumns, shapesColumns} from './importance_columns.js';
import {details} from './importance_detail.js';
import {asked, filterForm, filtered, unanswered} from './importance_filters.js';
import {coverage, findings, headline} from './importance_head.js';
import {plot} from './importance_plot.js';
import {fileLink} from './run_columns.js';

const FILES = [['CSV', 'csv', 'csv'], ['Markdown', 'md', 'md'], ['Benchmark JSON', 'bench', 'json']];
const REGIMES = 'C: the arithmetic takes longer than moving the bytes, M: moving the bytes does, I: indexing, next to no arithmetic. '
	+ 'T_SOL is the least time it can take, max(W / peak, Q / bandwidth); T_prod ';

function exportLinks(words) {
	return h('span', {class: 'links'}, FILES.map(([text, format, end]) => fileLink(text, api.importanceFile(format, words),
		`${format === 'bench' ? 'benchmark' : 'importance'}${words.set ? `-${words.set.replace(/[^\w-]+/g, '_')}` : ''}.${end}`)));
}

const setHint = `${REGIMES}the median that was measured. `
	+ 'The times are of the median shape of each operator, and the regime is that of the median AI: compute above 10 FLOP a byte, indexing below 0.01.';
const fleetHint = `${REGIMES}the mean of the calls that were measured.`;

// The three tables: what is open in one is open in all.
function parts(doc, words, query, at) {
	const made = new Map();
	let front;
	const detail = details(doc, words, (query.get('open') ?? '').split(','), at, () => {
		made.get(front)?.changed?.();
		made.get(front)?.save();
	});
	const text = (r) => [r.operator, r.id, r.dtype, r.phase, r.what, r.group].filter(Boolean).join(' ');

	function build(id, caption, columns, usual, q, more = {}) {
		const list = listing({caption, columns, rows: doc.items, query: q, usual, what: 'operator', text, detail, at,
			empty: filtered(query) ? 'Nothing here matches these filters.' : 'No run here has operators yet.', keep: () => ({open: detail.chosen(), ...more.keep?.()})});
		const node = h('div', {class: 'part'}, more.above?.(list) ?? '', list.node, more.hint ? h('p', {class: 'hint wide-text'}, more.hint) : '');
		const part = {node, changed: more.changed, save: () => {
			front = id;
			list.save();
		}, front: () => {
			list.redraw();
			more.changed?.();
		}};
		made.set(id, part);
		return {node, save: () => { part.save(); part.front(); }};
	}

	function rooflinePart(q) {
		let drawn = null;
		let redraw;
		const last = () => [...detail.open].filter((r) => detail.shapes(r)?.length).at(-1);
		const closeAll = () => {
			detail.open.clear();
			redraw();
			drawn.draw();
			detail.changed();
		};
		return build('roofline', 'Roofline of operators', rooflineColumns(doc), 'importance', q, {
			hint: doc.set ? setHint : fleetHint,
			keep: () => ({on: q.get('on') || drawn?.asked ? drawn.name() : ''}),
			above: (list) => {
				redraw = list.redraw;
				drawn = plot(doc, {asked: q.get('on'), one: last, shapes: detail.shapes, all: closeAll,
					changed: () => { drawn.asked = true; list.save(); }});
				return drawn.node;
			},
			changed: () => drawn.draw(),
		});
	}

	return [
		['general', 'Importance', (q) => build('general', 'Importance of operators', generalColumns(doc), 'importance', q)],
		['roofline', 'Roofline', rooflinePart],
		['shapes', 'Shapes', (q) => build('shapes', 'Shapes of operators', shapesColumns(doc), '-s', q,
			{hint: 'Open an operator to see its shapes. S = T_SOL / T_prod: 100% is the limit of the hardware.'})],
	];
}

function nothing() {
	return h('section', {class: 'empty'}, h('h2', {}, 'Nothing to weigh yet'),
		h('p', {}, 'What matters is weighed over all runs that are stored here: ', h('a', {href: '/uploads'}, 'send some'), ' and come back.'),
		h('p', {}, 'Or ', h('a', {href: '/catalogue?tab=sets'}, 'import a reference set'), ': operators, shapes and figures that somebody published.'));
}

// What is weighed; or why it is refused, and then the form alone is left.
async function weighed(query, at) {
	try {
		const words = asked(query);
		return {words, doc: await api.importance(words, at.signal)};
	} catch (refusal) {
		if (![400, 404].includes(refusal.status))
			throw refusal;
		return {refusal};
	}
}

export async function page(view, query, at) {
	const [{words, doc, refusal}, {items: sets}] = await Promise.all([weighed(query, at), api.sets(at.signal)]);
	view.append(h('h1', {}, 'What matters'));
	if (refusal) {
		view.append(filterForm(unanswered(query), sets, query, at));
		showFailure(refusal, () => at.go(location.pathname + location.search));
		return 'What matters';
	}
	if (!doc.items.length && !filtered(query)) {
		view.append(((doc.uncounted_runs || doc.left_out_runs) && findings(doc)) || '', sets.length ? filterForm(doc, sets, query, at) : '', nothing());
		return 'What matters';
	}
	const list = parts(doc, words, query, at);
	const chosen = list.some(([id]) => id === query.get('tab')) ? query.get('tab') : list[0][0];
	const href = (id) => {
		const q = new URLSearchParams(query);
		for (const word of ['sort', 'q', 'on', 'tab'])
			q.delete(word);
		if (id !== list[0][0])
			q.set('tab', id);
		return q.size ? `/importance?${q}` : '/importance';
	};
	const shown = await tabs({label: 'Tables of what matters', chosen,
		leave: (tab) => at.keep({tab: tab === list[0][0] ? '' : tab, sort: '', q: '', on: ''}),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: list.map(([id, label, build]) => ({id, label, href: href(id),
			load: async () => build(id === chosen ? query : new URLSearchParams({open: query.get('open') ?? ''}))}))});
	view.append(h('p', {class: 'headline'}, headline(doc)), findings(doc) ?? '', filterForm(doc, sets, query, at), coverage(doc),
		h('div', {class: 'toolbar'}, h('h2', {class: 'unseen'}, 'Tables'), exportLinks(words)), ...shown);
	return 'What matters';
}
