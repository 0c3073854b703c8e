// beside_head.js - who stands beside whom: a card a run, its layers and how they
// were found; and what is to be known before any number.

import {differ, pageOf, percentOf} from '../beside.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {FOUND, sentence} from '../layers.js';

const letter = (i) => String.fromCharCode(65 + i);
const named = (run) => run.name || `run ${run.run}`;
const against = (ns, first, i) => {
	const {pct} = differ(ns, first);
	return i && pct !== null ? h('span', {class: 'quiet'}, ` ${percentOf(pct)}`) : null;
};

function card(run, i, doc, runs, words) {
	const {realign} = words;
	const [first] = doc.runs;
	const without = runs.filter((id) => Number(id) !== run.run);
	const front = [String(run.run), ...without];
	const time = (label, key) => h('div', {}, h('dt', {}, label), h('dd', {title: f.exact(run[key])}, f.duration(run[key]), against(run[key], first[key], i)));
	return h('li', {class: 'run-card'},
		h('h2', {}, h('span', {class: 'letter', 'aria-hidden': 'true'}, letter(i)), h('a', {href: `/runs/${run.run}?tab=layers`}, named(run)), ' ', h('span', {class: 'quiet'}, `#${run.run}`)),
		h('p', {class: 'quiet'}, [run.platform ?? 'platform unknown', run.device_name !== run.platform && run.device_name].filter(Boolean).join(' · ')),
		run.names_lag ? h('p', {}, h('span', {class: 'mark'}, run.realigned ? 'names put back' : 'names lag')) : null,
		h('dl', {class: 'facts'}, time('End to end', 'end_to_end_ns'), time(run.layers ? f.plural(run.layers, 'layer') : 'No layers', 'layered_ns'),
			h('div', {}, h('dt', {}, 'Passes'), h('dd', {}, f.count(run.passes)))),
		h('p', {class: 'quiet'}, run.layers || !run.why ? `${sentence(FOUND[run.detector] ?? run.detector).slice(0, -1)}${run.confidence === null ? '' : `, ${f.percent(run.confidence * 100)} % alike`}` : sentence(run.why)),
		h('p', {class: 'line'}, i ? h('a', {href: pageOf(front, {realign})}, 'Measure against this') : h('span', {class: 'quiet'}, 'The others are measured against this'),
			h('a', {href: pageOf(without, {realign})}, 'Take away', h('span', {class: 'unseen'}, ` ${named(run)} #${run.run}`))));
}

export const heads = (doc, runs, words) => h('ul', {class: 'run-cards', 'aria-label': 'Runs'}, doc.runs.map((run, i) => card(run, i, doc, runs, words)));

// Where names lag behind durations, times beside names are told of nobody until
// they are put back; and that is said as well.
export function lagging(doc, runs, words) {
	const list = doc.runs.filter((r) => r.names_lag);
	if (!list.length)
		return null;
	const who = list.map((r) => `${named(r)} #${r.run}`).join(' and ');
	const asked = words.realign === 'yes';
	return h('section', {class: 'banner', 'aria-labelledby': 'lag'},
		h('h2', {id: 'lag'}, asked ? 'Names were put back to durations' : 'Names lag behind durations'),
		h('p', {}, asked ? `In ${who} the kernels' names lagged behind their durations; each duration got the name that its place has where both still agree. That is a guess.`
			: `In ${who} the kernels' names lag behind their durations: what stands beside a name there is another kernel's time.`),
		h('p', {}, asked ? h('a', {href: pageOf(runs)}, 'Show them as recorded') : h('a', {href: pageOf(runs, {realign: 'yes'})}, 'Put the names back to their durations')));
}
export {letter, named};
