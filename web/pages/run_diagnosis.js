// run_diagnosis.js - the card at the top of a run's page: why the run is slow, in sentences with
// links, and all causes as a table.

import * as api from '../lib/api.js';
import {share} from '../lib/columns.js';
import {CAUSES, headline, linkLabel, withTime} from '../lib/diagnosis.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';

function causeTable(doc) {
	const rows = withTime(doc.causes);
	if (!rows.length) return null;
	const unit = f.columnUnit(rows[0].time_ns / doc.iterations);
	return table({
		caption: 'Causes',
		rows,
		columns: [
			{
				label: 'Cause',
				head: true,
				class: 'wraps',
				cell: (c) => CAUSES[c.cause]?.label ?? `${f.capital(c.kind)}: ${c.cause}`,
			},
			{label: 'Share', unit: '%', num: true, cell: (c) => share(c.share_pct)},
			{
				label: 'Per iteration',
				unit,
				num: true,
				class: 'two-lines',
				cell: (c) => f.inUnit(c.time_ns / doc.iterations, unit),
				title: (c) => `${f.exact(c.time_ns)} in ${f.plural(doc.iterations, 'iteration')}`,
			},
		],
	}).node;
}

const sentence = (s, tabs) =>
	h(
		'li',
		{},
		s.text,
		h('p', {class: 'hint'}, `${f.capital(s.evidence)}. `, h('a', {href: s.link}, linkLabel(s.link, tabs))),
	);

const interval = (w) =>
	w.low_ns === null
		? []
		: [`95 % interval: ${w.low_ns < 0 ? '−' : ''}${f.duration(Math.abs(w.low_ns))} to ${f.duration(w.high_ns)}.`];

const estimates = (list) =>
	h(
		'ul',
		{},
		list.map((w) =>
			h(
				'li',
				{},
				w.text,
				h('p', {class: 'hint'}, [...interval(w), `Assumed: ${w.assumptions.join('; ')}.`].join(' ')),
			),
		),
	);

// What single changes would save, folded: the causes come first. Fusions whose tensor may have
// other readers are apart. Null if there is none.
function changes(list) {
	const unknown = list.filter((w) => w.change === 'fusion_consumers_unknown');
	const known = list.slice(0, list.length - unknown.length);
	if (!list.length) return null;
	return h(
		'details',
		{class: 'more'},
		h(
			'summary',
			{},
			`What a single change would save: ${f.plural(known.length, 'estimate')}` +
				(known.length ? `, at most ${f.percent(known[0].share_pct)} %` : '') +
				(unknown.length ? `; ${f.plural(unknown.length, 'fusion')} with unknown readers` : ''),
		),
		h('p', {class: 'hint'}, 'Two changes can save the same time, so the estimates do not add up.'),
		known.length ? estimates(known) : null,
		unknown.length
			? h('p', {class: 'hint'}, 'Only if a tensor has no other reader, which the trace does not show:')
			: null,
		unknown.length ? estimates(unknown) : null,
	);
}

const card = (...content) =>
	h(
		'section',
		{class: 'diagnosis', 'aria-labelledby': 'why'},
		h('h2', {id: 'why'}, 'Why is it slow'),
		...content,
	);

// The server's document, or the failure of its request. The rest of the run's page does not need
// the document, so a failure must not hide it.
export async function loadDiagnosis(at) {
	try {
		return await api.diagnosis(at.id, at.signal);
	} catch (failure) {
		if (at.signal.aborted) throw failure;
		return {failure};
	}
}

// Null if the times of the run's iterations are unknown.
export function diagnosisCard(doc, tabs) {
	if (doc.failure) return card(h('p', {class: 'notice'}, `The causes are unavailable: ${doc.failure.message}.`));
	if (!doc.causes.length) return null;
	return card(
		h('p', {}, headline(doc)),
		doc.reason ? h('p', {class: 'notice'}, `${f.capital(doc.reason)}.`) : null,
		h(
			'div',
			{class: 'both'},
			h('ol', {}, doc.sentences.map((s) => sentence(s, tabs))),
			causeTable(doc),
		),
		changes(doc.what_if),
	);
}
