// run_layers_table.js - the rows of a breakdown by section and block, with the sum
// of each block; kernels launched together are a line that opens to them.

import {swatch} from '../chart_layers.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {grouped, heading} from '../grouped.js';
import * as l from '../layers.js';
import * as o from '../operators.js';
import {BESIDE, kernelCell, roleCell, timeCell} from './layer_cells.js';
import {exportLink} from './run_columns.js';

const HEADS = [['Module or role'], ['Kernel'], ['Operator'], ['Mean', 'µs'], ['Per layer'], ['A layer', 'µs'], ['S'], ['Alone', 'µs'], ['Overlapped', 'µs'], ['Median', 'µs'], ['Std dev', 'µs']];
const NUMBERS_FROM = 3;
const MOST = 400;

const WHY = 'no single figure of several kernels: open the line';
const S_TITLE = (r) => (r.s === null || r.s === undefined ? 'unknown: no bound is known' : `T_SOL / T = ${r.s}${r.sol_ns ? `; ${f.exact(r.sol_ns)} at least` : ''}`);

// What a section's instance has of a time over all of them.
const each = (ns, section) => (ns === null || !section.instances ? null : ns / section.instances);

function numbers(r, section) {
	const per = section.instances ? r.launches / section.instances : null;
	const own = (ns) => timeCell(ns, r.rows ? WHY : 'unknown');
	const part = (ns, what) => timeCell(each(ns, section), 'unknown', `a mean of ${f.exact(each(ns, section))}; ${f.exact(ns)} ${what} over all passes`);
	return [timeCell(r.mean_ns),
		h('td', {class: 'num', title: `${f.plural(r.launches, 'launch', 'launches')}; ${f.count(r.instances)} of ${f.count(section.instances)} have it`}, f.mean(per)),
		timeCell(l.ofInstance(r, section), 'unknown', `mean time of a layer in it, of all layers of this kind: ${f.exact(l.ofInstance(r, section))}`),
		h('td', {class: 'num', title: S_TITLE(r)}, o.share(r.s)),
		part(r.exclusive_ns, 'alone'), part(r.overlapped_ns, 'beside others'), own(r.med_ns), own(r.stddev_ns)];
}

function row(r, section, view, lead, member) {
	return h('tr', {class: member ? 'member' : r.extra ? 'extra' : null}, roleCell(r, lead), kernelCell(r, view.full),
		h('td', {class: 'operator', title: r.operator ? null : 'unknown'}, r.operator ? h('code', {}, r.operator) : f.NONE), numbers(r, section));
}

// A line of several kernels, and what it opens to.
function foldedRows(line, section, view, changed) {
	const made = () => line.rows.map((r) => row(r, section, view, undefined, true));
	let members = view.open.has(line.at) ? made() : [];
	const button = h('button', {type: 'button', class: 'open', 'aria-expanded': String(members.length > 0), on: {click: () => {
		const open = !members.length;
		for (const tr of members)
			tr.remove();
		members = open ? made() : [];
		first.after(...members);
		view.open[open ? 'add' : 'delete'](line.at);
		button.setAttribute('aria-expanded', String(open));
		changed();
	}}}, h('span', {class: 'twist', 'aria-hidden': 'true'}));
	const first = row(line, section, view, (content) => {
		button.append(...content);
		return [button, h('div', {class: 'quiet'}, `${line.rows.length} kernels launched together`)];
	});
	return [first, ...members];
}

function sumRow(block, section) {
	const time = (ns, title) => timeCell(ns, 'unknown', title);
	return h('tr', {class: 'sum'}, h('th', {scope: 'row'}, `Sum of ${block.block}`, h('div', {class: 'narrow-only'}, f.duration(block.sum_ns))), h('td'), h('td'), h('td'), h('td'), time(block.sum_ns, `the rows add up to it: ${f.exact(block.sum_ns)}`), h('td'),
		time(each(block.exclusive_ns, section), `${f.exact(block.exclusive_ns)} over all passes`),
		time(each(block.overlapped_ns, section), `${f.exact(block.overlapped_ns)} over all passes`), h('td'), h('td'));
}

function sectionHead(section) {
	const {time} = section;
	return heading('section-head', HEADS.length, h('strong', {}, l.placeName(section)), ' ', h('span', {class: 'quiet'},
		`${section.place === 'layer' ? `the first is layer ${section.first} · ` : ''}rows add up to ${f.duration(section.sum_ns)}, from start to end ${f.duration(time.mean_ns)} · `
		+ `${f.plural(section.instances, 'time', 'times')} seen, ${section.alike === null ? 'how alike is unknown' : `${f.percent(section.alike * 100)} % alike`}`));
}

function blockHead(block, blocks) {
	const beside = block.beside === null ? null : blocks[block.beside];
	return heading('block-head', HEADS.length, swatch(block.block), h('span', {}, block.block),
		beside ? h('span', {class: 'mark', title: BESIDE}, `beside ${beside.block}`) : null);
}

export function rowSection(run, doc, words, query, at) {
	const view = {q: query.get('q') ?? '', full: query.get('names') === 'full', usual: query.get('extras') === 'no', most: MOST,
		open: new Set((query.get('open') ?? '').split(',').filter(Boolean).map(Number))};
	const place = h('div', {class: 'part layer-rows'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () => at.keep({...words, q: view.q, names: view.full ? 'full' : '', extras: view.usual ? 'no' : '', open: [...view.open].join(',')});

	// Lines up to so many, in parts as they come; the rest is a press away.
	function draw() {
		const tree = l.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, b) => m + b.lines.length, 0), 0);
		let left = view.most;
		const bodies = [];
		for (const {section, blocks} of tree)
			blocks.forEach(({block, lines}, i) => {
				const shown = lines.slice(0, Math.max(0, left));
				left -= lines.length;
				if (shown.length || !lines.length)
					bodies.push([i ? null : sectionHead(section), blockHead(block, doc.blocks), ...shown.flatMap((line) =>
						(line.rows ? foldedRows(line, section, view, save) : [row(line, section, view)])), view.q ? null : sumRow(block, section)].filter(Boolean));
			});
		const heads = [h('tr', {}, HEADS.map(([label, unit], i) => h('th', {scope: 'col', class: i >= NUMBERS_FROM ? 'num' : null}, label,
			unit ? h('span', {class: 'unit'}, ` (${unit})`) : null)))];
		place.replaceChildren(grouped({caption: 'Rows of the layers', heads, bodies, span: HEADS.length, empty: doc.items.length ? 'No row has this in it.' : 'This run has no launches.'}),
			left < 0 ? h('button', {type: 'button', class: 'fold-line', on: {click: () => { view.most = Infinity; draw(); }}}, `Show the other ${f.plural(-left, 'line')}`) : '');
		found.textContent = f.plural(all, 'line');
	}

	function change(next) {
		Object.assign(view, next);
		draw();
		save();
	}

	draw();
	const filter = h('input', {type: 'search', 'aria-label': 'Search rows', placeholder: 'Search rows', value: view.q, on: {input: (e) => change({q: e.target.value.trim()})}});
	const check = (label, key) => h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: view[key], on: {change: (e) => change({[key]: e.target.checked})}}), label);
	return {save, node: h('section', {'aria-labelledby': 'rows', class: 'part'}, h('div', {class: 'toolbar'}, h('h2', {id: 'rows'}, 'Row by row'), filter, check('Full names', 'full'), doc.items.some((r) => r.extra) ? check('Without extras', 'usual') : '', found,
		h('span', {class: 'links'}, ['csv', 'md'].map((format) => exportLink(run.id, 'breakdown', format, words)))), place,
	h('p', {class: 'hint wide-text'}, 'A row is a place in its layer, not a kernel: one kernel may stand in several. Mean, median and deviation are of its launches; '
		+ 'a layer\'s time, alone and overlapped are means over all layers of the kind (or, of what is no layer, over the passes), and the first adds up to the sum, extras included. S = T_SOL / T, of what is bound.'))};
}
