// run_operators.js - tab: what a run's GPU time was spent on, how we know, and
// how near to the least it could take; on its own platform or against another.
// A row opens to its shapes, the unattributed one to its kernels.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {listing} from '../listing.js';
import {showFailure} from '../news.js';
import * as o from '../operators.js';
import {findings} from './importance_head.js';
import {countColumn, knownColumn, operatorColumn, regimeColumn, sColumns, textColumn} from './operator_columns.js';
import {exportLink, largestUnit, share, timeColumn, typicalUnit} from './run_columns.js';
import {shapeDetail} from './run_shapes.js';

const sizedPct = (r) => (r.total_ns > 0 && r.sized_ns !== null ? r.sized_ns * 100 / r.total_ns : null);

const lost = (r) => (r.collective ? 'not reckoned: its time includes waiting for other ranks' : 'unknown: no bound is known');

// What is said of bounds on the run's own platform.
const OWN = ['over', 'peak', 'platform', 'unbound'];

// The document as its table shows it.
const shownOf = (doc) => (doc.against ? {...doc, items: doc.items.map(o.held), findings: doc.findings.filter(({code}) => !OWN.includes(code))} : doc);

function columns({items: rows, against}) {
	const sum = largestUnit(rows.map((r) => r.total_ns));
	const each = typicalUnit(rows.map((r) => r.avg_call_ns));
	return [
		operatorColumn(), textColumn('dtype', 'dtype'), textColumn('Phase', 'phase', 'not told'),
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (r) => share(r.time_pct), title: (r) => (r.time_pct === null ? 'unknown' : null)},
		timeColumn('Total', 'total', sum),
		countColumn('Calls', 'calls'), countColumn('Launches', 'launches'), timeColumn('Avg call', 'avg_call', each),
		countColumn('Shapes', 'shapes', 'no sizes are known'), knownColumn(),
		{label: 'Sized', num: true, down: 'sized', up: '-sized', cell: (r) => o.shareOfPercent(sizedPct(r)), value: sizedPct,
			title: (r) => `${f.exact(r.sized_ns)} of ${f.exact(r.total_ns)} have known sizes`},
		...sColumns(), regimeColumn(),
		...(against ? [] : [{...timeColumn('Headroom', 'headroom', sum), title: (r) => (r.headroom_ns === null ? lost(r) : `${f.exact(r.headroom_ns)}, ${f.percent(r.headroom_pct)} % of the run's GPU time`)}]),
	];
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));
const part = (label, pct, what) => total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : what);

function summary(doc) {
	const replays = doc.replayed > 0 ? total('In graph replays', `${f.count(doc.replayed_known)} of ${f.count(doc.replayed)} known`,
		'kernels of CUDA graph replays, and those whose operator is known: by the ranges recorded with their nodes, or learnt from a capture of the same graph') : null;
	return h('dl', {class: 'totals'}, total('GPU time', f.duration(doc.gpu_ns), f.exact(doc.gpu_ns)),
		part('Attributed', doc.attributed_pct, 'GPU time whose operator is known'),
		part('Specific', doc.specific_pct, 'GPU time whose operator says what it does'),
		part('Sized', doc.sized_pct, 'GPU time whose sizes are known'), replays,
		total('Catalogue', doc.catalog ?? f.NONE, 'the version it was attributed with: the program\'s, and after the + the edits of its own'));
}

// Its own platform, or any other of the catalogue to hold the run against.
function platformChoice(doc, platforms, change) {
	const select = h('select', {'aria-label': 'Platform', on: {change: (e) => change(e.target.value)}},
		h('option', {value: ''}, doc.platform ? `its own: ${doc.platform}` : 'its own, unknown'),
		platforms.filter((p) => p.name !== doc.platform).map((p) => h('option', {value: p.name, selected: p.name === doc.against?.name}, `against ${p.name}`)));
	return h('label', {class: 'check'}, h('span', {'aria-hidden': 'true'}, 'Platform'), select);
}

function platformLine(doc) {
	const {platform: own, platform_source: ownSource, against} = doc;
	const source = against ? against.source : ownSource;
	if (!own && !against)
		return h('p', {class: 'lacking'}, 'The platform of this run is not known, so no bound is: ', h('a', {href: '/catalogue?tab=platforms'}, 'the catalogue has these'),
			'; choose one to hold the run against, or add its own.');
	return h('p', {class: 'hint'}, `Bounds are those of ${against?.name ?? own}${against ? `, not of its own platform${own ? ` ${own}` : ''}` : ''}${source ? `; figures from ${source}` : ''}. `,
		against ? 'S = T_SOL / T: the least there over the time here.' : 'S = T_SOL / T; headroom is the time above the least, of calls longer than a launch takes.');
}

export async function operatorTab(run, query, at) {
	let against = query.get('against') ?? '';
	const [first, {items: platforms}] = await Promise.all([api.operators(run.id, {against}, at.signal), api.catalogue('platforms', at.signal)]);
	const place = h('div', {class: 'part'});
	let shown;

	function build(answer, q) {
		const doc = shownOf(answer);
		const detail = shapeDetail(run, doc, against, (q.get('open') ?? '').split(','), at, () => shown.save());
		shown = listing({caption: 'Operators', columns: columns(doc), rows: doc.items, query: q, usual: 'total', what: 'operator', detail, at,
			text: (r) => [o.nameOf(r), r.dtype, r.phase, r.group].filter(Boolean).join(' '), empty: doc.gpu_ns === null ? 'It was analysed before operators were known.' : 'This run has no GPU time.',
			links: h('span', {class: 'links'}, platformChoice(doc, platforms, change),
				...['csv', 'md'].map((format) => exportLink(run.id, 'operators', format, {against}))),
			keep: () => ({against, open: detail.chosen()})});
		place.replaceChildren(findings(doc, 'What these numbers rest on') ?? '', summary(doc), platformLine(doc), shown.node);
	}

	async function change(to) {
		const before = against;
		place.setAttribute('aria-busy', 'true');
		against = to;
		try {
			const doc = await api.operators(run.id, {against}, at.signal);
			build(doc, new URLSearchParams(location.search));
			shown.save();
			place.querySelector('select').focus();
		} catch (error) {
			against = before;
			if (!at.signal.aborted)
				showFailure(error, () => change(to));
		}
		place.removeAttribute('aria-busy');
	}

	build(first, query);
	return {node: place, save: () => shown.save()};
}
