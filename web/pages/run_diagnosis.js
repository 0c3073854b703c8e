// run_diagnosis.js - the first card of a run's overview: why the run is slow, as a bar, in sentences
// with links, and all causes as a table.

import * as api from '../lib/api.js';
import {share} from '../lib/columns.js';
import {CAUSES, headline, idleText, linkLabel, splitParts, withTime} from '../lib/diagnosis.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {share as shareControl} from '../lib/share.js';
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

// A bar of the mean iteration. The table of causes has the same numbers.
function splitBar(doc) {
	const parts = splitParts(doc);
	if (!parts.length) return null;
	const text = (p) => `${p.label} ${f.percent(p.share_pct)} %`;
	// Causes of idle time look as in the timeline.
	const look = (p) => (p.cause ? `${p.part} ${p.cause}` : p.part);
	return h(
		'div',
		{class: 'split'},
		h(
			'div',
			{class: 'stack', role: 'img', 'aria-label': `The mean iteration: ${parts.map(text).join(', ')}`},
			parts.map((p) =>
				h(
					'span',
					{
						class: `stack-part ${look(p)}`,
						style: {flex: `${p.share_pct} 1 0`},
						title: `${text(p)}, ${f.duration(p.time_ns / doc.iterations)}`,
					},
					h('span', {}, text(p)),
				),
			),
		),
		h(
			'ul',
			{class: 'legend split-legend'},
			parts.map((p) =>
				h(
					'li',
					{},
					h('span', {class: `swatch ${p.cause ? `timeline-swatch ${p.cause}` : p.part}`, 'aria-hidden': 'true'}),
					text(p),
				),
			),
		),
	);
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

const card = (...content) => h('div', {class: 'diagnosis part'}, ...content);

// The card. It says why if the times of the run's iterations are unknown.
export function diagnosisCard(doc, tabs) {
	if (!doc.causes.length) return card(h('p', {class: 'quiet'}, `The causes are unknown: ${doc.reason}.`));
	const all = causeTable(doc);
	const idle = idleText(doc);
	return card(
		h('p', {}, headline(doc), idle ? ` ${idle}` : ''),
		splitBar(doc),
		doc.reason ? h('p', {class: 'notice'}, `${f.capital(doc.reason)}.`) : null,
		h('ol', {}, doc.sentences.map((s) => sentence(s, tabs))),
		all ? h('details', {class: 'more'}, h('summary', {}, 'All causes as a table'), all) : null,
		changes(doc.what_if),
		shareControl(api.diagnosisMarkdown(doc.run)),
	);
}
