// run_picker.js - lets the user tick runs as head, the runs in question, and as base. The address
// contains the ticked runs, so that they remain while the list is filtered, sorted and paged.
// toggleRun() and breakdownRuns() are pure.

import {breakdownUrl, MAX_RUNS} from './breakdown_compare.js';
import {compareUrl, parseSide} from './comparison.js';
import {h} from './dom.js';
import * as f from './format.js';

const OTHER = {base: 'head', head: 'base'};

const isRun = (word) => /^\d+$/.test(word);

// The sides after a tick: a run is on at most one side.
export function toggleRun(sides, side, id, on) {
	const word = String(id);
	const without = (list) => list.filter((w) => w !== word);
	return {
		[OTHER[side]]: on ? without(sides[OTHER[side]]) : sides[OTHER[side]],
		[side]: on ? [...without(sides[side]), word] : without(sides[side]),
	};
}

// The ticked runs in their order, or none if a breakdown comparison cannot show that many. Jobs are
// not runs.
export function breakdownRuns(sides) {
	const runs = [...sides.base, ...sides.head].filter(isRun);
	return runs.length >= 2 && runs.length <= MAX_RUNS ? runs : [];
}

// The words from one to the other, both included, in the order of the list. Only `to` if `from` is
// not in the list.
export function wordsBetween(list, from, to) {
	const [a, b] = [list.indexOf(from), list.indexOf(to)];
	return a < 0 ? [to] : list.slice(Math.min(a, b), Math.max(a, b) + 1);
}

// The two columns of check boxes and the tray with the ticked runs; `names` maps ids to names.
// onTick() gets the ids of the ticked runs, at first and after each change; jobs are not runs.
export function runPicker(query, names, at, onTick = () => {}) {
	let sides = {base: parseSide(query.get('base')), head: parseSide(query.get('head'))};
	const boxes = [];
	let last = null;
	let range = false;
	const tray = h('section', {class: 'tray', 'aria-label': 'Selected for a comparison'});
	const clear = () => change({base: [], head: []});

	const named = (word) =>
		word.startsWith('job:') ? `job ${word.slice(4)}` : names.has(word) ? `${names.get(word)} #${word}` : `#${word}`;

	function change(next) {
		sides = next;
		at.keep({base: sides.base.join(','), head: sides.head.join(',')});
		draw();
	}

	// Ticks one run or several.
	function tick(side, words, on) {
		change([words].flat().reduce((now, word) => toggleRun(now, side, word, on), sides));
	}

	function selectedRuns(side, label) {
		const remove = (word) =>
			h(
				'button',
				{
					type: 'button',
					class: 'drop-one',
					'aria-label': `Remove ${named(word)} from the ${side}`,
					on: {click: () => tick(side, word, false)},
				},
				`${named(word)} ×`,
			);
		return h(
			'div',
			{class: `selected-runs ${side}`},
			h('strong', {}, label),
			sides[side].length ? sides[side].map(remove) : h('span', {class: 'quiet'}, 'tick runs above'),
		);
	}

	// The comparison of both sides. With a head alone, the base is chosen on the next page; with a base
	// alone, one button makes it the head, because a comparison is about the head.
	function action() {
		const {base, head} = sides;
		const link = (text, params, title) => h('a', {class: 'button', href: compareUrl(params), title}, text);
		const heads = f.plural(head.length, 'head run');
		if (head.length && base.length)
			return link(`Compare ${heads} with ${f.plural(base.length, 'base run')}`, {base: base.join(','), head: head.join(',')});
		if (head.length)
			return link(
				`Compare ${heads} with…`,
				{head: head.join(','), project: query.get('project'), workload: query.get('workload')},
				'Choose the base on the next page, or tick it in the list',
			);
		return [
			h('span', {class: 'quiet'}, 'No head is selected yet.'),
			h('button', {type: 'button', on: {click: () => change({base: [], head: base})}}, 'Use as head'),
		];
	}

	function draw() {
		for (const {box, side, word} of boxes) box.checked = sides[side].includes(word);
		onTick([...sides.base, ...sides.head].filter(isRun).map(Number));
		tray.hidden = !sides.base.length && !sides.head.length;
		const breakdown = breakdownRuns(sides);
		const parts = [
			action(),
			breakdown.length ? h('a', {class: 'button plain', href: breakdownUrl(breakdown)}, 'Breakdown comparison') : null,
			h('button', {type: 'button', on: {click: clear}}, 'Clear selection'),
		];
		tray.replaceChildren(
			selectedRuns('head', 'Head, the runs in question'),
			selectedRuns('base', 'Base, what they are compared with'),
			h('div', {class: 'line'}, parts.flat()),
		);
	}

	// With Shift, all runs from the one that was ticked last on this side.
	function tickBox(side, word, on) {
		const list = boxes.filter((b) => b.side === side && b.box.isConnected).map((b) => b.word);
		tick(side, range && last?.side === side ? wordsBetween(list, last.word, word) : word, on);
		last = {side, word};
		range = false;
	}

	function box(side, run) {
		const input = h('input', {
			type: 'checkbox',
			'aria-label': `${run.name || `run ${run.id}`} #${run.id} as ${side}`,
			on: {
				// Browsers fire this before `change`.
				click: (e) => {
					range = e.shiftKey;
				},
				change: (e) => tickBox(side, String(run.id), e.target.checked),
			},
		});
		boxes.push({box: input, side, word: String(run.id)});
		input.checked = sides[side].includes(String(run.id));
		return h('label', {class: 'tick'}, input);
	}

	draw();
	return {
		tray,
		tick,
		sides: () => sides,
		columns: ['head', 'base'].map((side) => ({
			label: side === 'base' ? 'Base' : 'Head',
			class: 'pick',
			cell: (run) => box(side, run),
		})),
	};
}
