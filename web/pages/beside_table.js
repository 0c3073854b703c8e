// beside_table.js - the rows of several runs, put together by what they are for:
// each side's kernels, time and S, its difference to the first side, sums per
// block and section. What one side alone has is kept and marked.

import * as api from '../api.js';
import * as b from '../beside.js';
import {swatch} from '../chart_layers.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {grouped, heading} from '../grouped.js';
import {kernelName, placeName} from '../layers.js';
import * as o from '../operators.js';
import {letter, named} from './beside_head.js';
import {BESIDE, marksOf, rolesOf, timeCell} from './layer_cells.js';
import {fileLink} from './run_columns.js';

const MATCHES = {role: 'put together by what they do in the layer', module: 'put together by the module\'s name', kernel: 'put together by the kernel\'s name',
	alone: 'one side alone has it'};
const MOST = 300;

const span = (doc) => 1 + doc.runs.length * 3 + (doc.runs.length - 1) * 2;

const absent = (n) => h('td', {colspan: n, class: 'quiet absent', title: 'this run has no such row'}, f.NONE);

const signed = (ns, why = 'unknown') => h('td', {class: 'num', title: ns === null || ns === undefined ? why : f.exact(ns)}, f.signed(ns, 'µs'));
const change = (pct) => h('td', {class: 'num', title: pct === null || pct === undefined ? 'unknown' : `${pct} %`}, b.percentOf(pct));

// Two figures against the first side, where this is not the first.
const against = (cell, i, why) => (i ? [signed(cell.diff_ns, why), change(cell.diff_pct)] : []);

const kernelItem = (r, full) => h('li', {}, h('code', {title: full ? null : kernelName(r, true)}, kernelName(r, full)), ' ',
	h('span', {class: 'quiet', title: f.exact(r.mean_ns)}, f.duration(r.mean_ns), r.module ? ` · ${r.module}` : ''), ' ', ...marksOf(r));

// One kernel by its name; of several the longest, and the others on request.
function kernels(rows, full, open) {
	if (rows.length === 1)
		return h('td', {class: `side-kernel${full ? ' full' : ''}`, title: full ? null : kernelName(rows[0], true)}, h('code', {}, kernelName(rows[0], full)), ...marksOf(rows[0]));
	const longest = rows.reduce((most, r) => (r.mean_ns > most.mean_ns ? r : most), rows[0]);
	return h('td', {class: `side-kernel${full ? ' full' : ''}`}, h('details', {class: 'several', open}, h('summary', {}, h('span', {}, h('code', {title: full ? null : kernelName(longest, true)}, kernelName(longest, full)),
		` and ${f.count(rows.length - 1)} more`)), h('ol', {}, rows.map((r) => kernelItem(r, full)))));
}

function side(cell, i, missing, view) {
	if (!cell)
		return [absent(i ? 5 : 3)];
	const s = h('td', {class: 'num', title: cell.s === null ? 'unknown: no bound is known' : `T_SOL / T = ${cell.s}`}, o.share(cell.s));
	return [kernels(cell.rows, view.full, view.open), timeCell(cell.mean_ns), s, ...against(cell, i, missing ? 'the first run has no such row' : 'unknown')];
}

function row(line, doc, view) {
	const have = b.had(line);
	const name = line.module ? [h('code', {}, line.module)] : line.roles.length ? rolesOf(line.roles) : [f.NONE];
	const only = doc.runs.filter((_, i) => line.cells[i]).map(named);
	return h('tr', {class: have < doc.runs.length ? 'unmatched' : null},
		h('th', {scope: 'row', class: 'role', title: MATCHES[line.match]}, name, line.module && line.roles.length ? h('div', {class: 'quiet'}, rolesOf(line.roles)) : null,
			have < doc.runs.length ? h('span', {class: 'mark', title: `in ${only.join(', ')} alone`}, have === 1 ? `only ${letter(line.cells.findIndex(Boolean))}` : `${have} of ${doc.runs.length}`) : null,
			h('div', {class: 'narrow-only'}, line.cells.map((cell, i) => h('div', {}, `${letter(i)} ${cell ? f.duration(cell.mean_ns) : f.NONE}`)))),
		line.cells.flatMap((cell, i) => side(cell, i, !line.cells[0], view)));
}

function sums(name, label, times) {
	return h('tr', {class: name}, h('th', {scope: 'row'}, label,
		h('div', {class: 'narrow-only'}, times.map((ns, i) => h('div', {}, `${letter(i)} ${f.duration(ns)}`)))), times.flatMap((ns, i) => {
		if (ns === null)
			return absent(i ? 5 : 3);
		const {ns: diff_ns, pct: diff_pct} = b.differ(ns, times[0]);
		return [h('td'), timeCell(ns), h('td'), ...against({diff_ns, diff_pct}, i)];
	}));
}

function bodies(doc, view, tree) {
	const wide = span(doc);
	let left = view.most;
	const out = [];
	for (const {section, blocks} of tree) {
		const per = [...new Set(section.per_pass.filter((n) => n !== null))];
		const first = heading('section-head', wide, h('strong', {}, placeName(section, per.length === 1 ? per[0] : null)),
			per.length > 1 ? h('span', {class: 'quiet'}, ` ${section.per_pass.map((n, i) => `${letter(i)} ${f.count(n)}`).join(', ')} in a pass`) : null);
		blocks.forEach(({block, lines}, i) => {
			const shown = lines.slice(0, Math.max(0, left));
			left -= lines.length;
			if (!shown.length)
				return;
			const beside = block.beside === null ? null : doc.blocks[block.beside];
			out.push([i ? null : first, heading('block-head', wide, swatch(block.block), h('span', {}, block.block),
				beside ? h('span', {class: 'mark', title: BESIDE}, `beside ${beside.block}`) : null), ...shown.map((line) => row(line, doc, view)),
			view.q || view.apart ? null : sums('sum', `Sum of ${block.block}`, block.sum_ns),
			view.q || view.apart || i < blocks.length - 1 ? null : sums('sum section-sum', section.place === 'layer' ? 'Sum of a layer' : 'Sum', section.sum_ns)].filter(Boolean));
		});
	}
	return {out, left};
}

function headRows(doc) {
	const unit = (text) => h('span', {class: 'unit'}, ` (${text})`);
	const col = (label, num, ...rest) => h('th', {scope: 'col', class: num ? 'num' : null}, label, ...rest);
	return [h('tr', {}, h('th', {scope: 'col', rowspan: 2}, 'Role or module'), doc.runs.map((run, i) => h('th', {scope: 'colgroup', colspan: i ? 5 : 3, class: 'side-head'},
		h('span', {class: 'letter', 'aria-hidden': 'true'}, letter(i)), `${named(run)} #${run.run}`, run.platform ? h('span', {class: 'unit'}, ` ${run.platform}`) : null))),
	h('tr', {class: 'second'}, doc.runs.flatMap((_, i) => [col('Kernels'), col('Time', true, unit('µs')), col('S', true),
		...(i ? [col('Δ', true, unit('µs')), col('Δ', true, unit('%'))] : [])]))];
}

export function lineSection(doc, words, query, at) {
	const view = {q: query.get('q') ?? '', full: query.get('names') === 'full', apart: query.get('lines') === 'apart', usual: query.get('extras') === 'no', open: query.get('kernels') === 'all', most: MOST};
	const place = h('div', {class: 'part'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () => at.keep({...words, q: view.q, names: view.full ? 'full' : '', lines: view.apart ? 'apart' : '', extras: view.usual ? 'no' : '', kernels: view.open ? 'all' : ''});

	function draw() {
		const tree = b.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, x) => m + x.lines.length, 0), 0);
		const {out, left} = bodies(doc, view, tree);
		place.replaceChildren(grouped({caption: 'Rows side by side', heads: headRows(doc), bodies: out, span: span(doc), empty: view.q ? 'No row has this in it.' : 'There is no such row.'}),
			left < 0 ? h('button', {type: 'button', class: 'fold-line', on: {click: () => { view.most = Infinity; draw(); }}}, `Show the other ${f.plural(-left, 'line')}`) : '');
		found.textContent = f.plural(all, 'line');
	}

	function changed(next) {
		Object.assign(view, next);
		draw();
		save();
	}

	draw();
	const filter = h('input', {type: 'search', 'aria-label': 'Search rows', placeholder: 'Search rows', value: view.q, on: {input: (e) => changed({q: e.target.value.trim()})}});
	const check = (label, key) => h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: view[key], on: {change: (e) => changed({[key]: e.target.checked})}}), label);
	const name = `layers-${words.runs.replaceAll(',', '-')}`;
	return {save, node: h('section', {'aria-labelledby': 'rows', class: 'part'}, h('div', {class: 'toolbar'}, h('h2', {id: 'rows'}, 'Row by row'), filter,
		check('Full names', 'full'), check('All kernels', 'open'), check('Only what not all have', 'apart'), doc.items.some(b.rare) ? check('Without extras', 'usual') : '', found,
		h('span', {class: 'links'}, h('a', {href: b.pageOf(b.runsOf(words.runs), {realign: words.realign})}, 'Permalink'),
			...[['JSON', 'json'], ['CSV', 'csv'], ['Markdown', 'md']].map(([text, format]) => fileLink(text, api.besideFile(format, words), `${name}.${format}`)))),
	place, h('p', {class: 'hint wide-text'}, 'Times are means per layer of each run. Rows stand together by block and by what they do; where one side fuses what another splits, several kernels are one cell. '
		+ 'Δ is against the first run. S = T_SOL / T on each run\'s own platform.'))};
}
