// run_callers.js - the paths that launched a kernel, each with its launches, its
// time and its share: annotations, modules, Python functions and operators that
// were open around the call, the outermost first.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {largestUnit, share, timeColumn} from './run_columns.js';
import {table} from '../table.js';

const FIRST = 12;
const INNERMOST = 4;
const LANDMARKS = 4;
const KINDS = {annotation: 'range', module: 'module', python: 'Python', op: 'operator'};
const WITHOUT = {
	no_range: 'Nothing was open around the call: no range, module, Python function or operator.',
	no_call: 'No call in the trace launched these: made before it began, or by a graph\'s replay.',
};

// Which frames of a path are seen while it is folded, as indices: the innermost
// ones, and of those further out the nearest modules and ranges, by which one
// layer is told from the next. A fold that hides a single frame is none.
export function folded(path) {
	const inner = Math.max(0, path.length - INNERMOST);
	const outer = path.slice(0, inner).flatMap(({kind}, i) =>
		(kind === 'module' || kind === 'annotation' ? [i] : [])).slice(-LANDMARKS);
	const seen = [...outer, ...path.slice(inner).map((_, i) => inner + i)];
	return path.length - seen.length > 1 ? seen : path.map((_, i) => i);
}

const line = ({kind, name}) => h('li', {}, h('span', {class: 'kind'}, KINDS[kind] ?? kind), ' ',
	h('code', {}, name));
const gap = () => h('li', {class: 'left-out', 'aria-hidden': 'true'}, h('span', {class: 'kind'}, '⋮'));

function lines(path, seen, cut) {
	const out = cut ? [h('li', {class: 'quiet'}, h('span'), 'frames further out are left out')] : [];
	seen.forEach((at, i) => {
		if (at > (i ? seen[i - 1] + 1 : 0))
			out.push(gap());
		out.push(line(path[at]));
	});
	return out;
}

function pathCell({known, path, path_cut: cut}) {
	if (known !== 'path')
		return h('p', {class: 'quiet'}, WITHOUT[known] ?? known);
	const all = path.map((_, i) => i);
	const seen = folded(path);
	const list = h('ol', {class: 'path'}, lines(path, seen, cut));
	if (seen.length === path.length)
		return list;
	const toggle = h('button', {type: 'button', class: 'fold', 'aria-expanded': 'false', on: {click: () => {
		const open = toggle.getAttribute('aria-expanded') === 'false';
		toggle.setAttribute('aria-expanded', open);
		list.replaceChildren(...lines(path, open ? all : seen, cut));
	}}}, h('span', {class: 'twist', 'aria-hidden': 'true'}), f.plural(path.length - seen.length, 'more frame'));
	return [toggle, list];
}

function callerTable(name, items, all) {
	const columns = [
		{label: 'Call path, outermost first', head: true, class: 'wide', cell: pathCell},
		{label: 'Launches', num: true, cell: (c) => f.count(c.launches)},
		timeColumn('Time', 'total', largestUnit(items.map((c) => c.total_ns))),
		{label: 'Share', unit: '%', num: true, class: 'time', cell: (c) => share(c.share_pct),
			title: () => `of the kernel's ${f.duration(all.total_ns)}`},
	].map(({up, down, ...column}) => column);
	return table({caption: `Callers of ${name}`, columns, rows: items}).node;
}

// A place that asks for the callers of a kernel when first shown.
export function callerList(run, row, at) {
	const place = h('div', {class: 'callers'});
	const items = [];
	let asked = false;

	function draw(answer) {
		const {next} = answer;
		const more = next && h('button', {type: 'button', on: {click: () => ask(next)}}, 'Show more callers');
		place.replaceChildren(h('h3', {}, 'Launched by'),
			items.length ? callerTable(row.short_name || row.name, items, answer)
				: h('p', {class: 'quiet'}, 'The trace does not tell.'), more || '');
	}

	async function ask(cursor) {
		asked = true;
		place.setAttribute('aria-busy', 'true');
		if (!items.length)
			place.replaceChildren(h('p', {class: 'loading'}, 'Loading callers…'));
		try {
			const answer = await api.callers(run.id, row.id, cursor ? {cursor} : {limit: FIRST}, at.signal);
			items.push(...answer.items);
			draw(answer);
			tell(f.plural(items.length, 'caller'));
		} catch (error) {
			asked = false;
			if (at.signal.aborted)
				return;
			if (!items.length)
				place.replaceChildren(h('p', {class: 'quiet'}, 'The callers could not be loaded.'));
			showFailure(error, () => ask(cursor));
		}
		place.removeAttribute('aria-busy');
	}

	return {
		show() {
			if (!asked)
				ask(null);
			return place;
		},
	};
}
