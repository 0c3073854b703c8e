// trends.js - /trends: one number of every run of a workload over time: its
// sentence, its chart, and the same as tables. What is shown, what is in sight and
// what is ticked is in the address.

import {Failure} from '../api.js';
import * as api from '../api_history.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {showFailure} from '../news.js';
import {picking} from '../picking.js';
import {tabs} from '../tabs.js';
import {trendChart} from '../trend_chart.js';
import {asked, headline, inSight, METRICS, metricOf, pageOf, workloadName} from '../trends.js';
import {answered, told} from './answered.js';
import {fileLink} from './run_columns.js';
import {chooser} from './trends_choose.js';
import {trendForm} from './trends_form.js';
import {changesList, groupsList, pointsList} from './trends_tables.js';

const PRESSES = [['', 'opens the run'], ['base', 'ticks it as base'], ['head', 'ticks it as head']];

// Refused in the server's way where the labels are none.
function wordsOf(query) {
	try {
		return asked(query);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

const ask = async (query, at) => api.trend(wordsOf(query), at.signal);

function lacks(doc) {
	return [doc.more ? 'There are older runs; the newest 50,000 are shown.' : '',
		doc.left_out ? `${f.plural(doc.left_out, 'run')} ${doc.left_out === 1 ? 'has' : 'have'} no such number and ${doc.left_out === 1 ? 'is' : 'are'} left out.` : '']
		.filter(Boolean).join(' ');
}

// What a press on a point does: chosen beside the chart, kept in the address.
function pressChoice(query, at) {
	let now = PRESSES.some(([word]) => word === query.get('press')) ? query.get('press') ?? '' : '';
	const choose = (word) => {
		now = word;
		at.keep({press: word});
	};
	const node = h('fieldset', {class: 'choice'}, h('legend', {}, 'A press on a point'), PRESSES.map(([word, text]) =>
		h('label', {}, h('input', {type: 'radio', name: 'press', value: word, checked: word === now, on: {change: () => choose(word)}}), h('span', {}, text))));
	return {node: h('div', {class: 'line pressing'}, h('span', {class: 'quiet', 'aria-hidden': 'true'}, 'A press on a point'), node), now: () => now};
}

const noChart = () => h('p', {class: 'lacking'}, 'This build has no chart: its library could not be fetched when it was made. The tables have every point.');

async function series(doc, query, at) {
	const {points} = doc;
	const index = new Map(points.run.map((id, i) => [String(id), i]));
	let sight = inSight(doc, query.get('from'), query.get('to'));
	let chart = null;
	const keeping = {...at, keep: (changes) => {
		at.keep(changes);
		if ('base' in changes || 'head' in changes)
			chart?.repaint();
	}};
	const picks = picking(query, new Map(), keeping);
	const press = pressChoice(query, at);
	const made = new Map();
	const whole = [0, points.run.length - 1];

	function pressed(i, how) {
		const side = how ?? press.now();
		if (!side)
			at.go(`/runs/${points.run[i]}`);
		else
			picks.tick(side, String(points.run[i]), !picks.sides()[side].includes(String(points.run[i])));
	}

	function moved(range) {
		sight = range;
		at.keep({from: range && points.run[range[0]], to: range && points.run[range[1]]});
		for (const part of made.values())
			part.sight?.(sight ?? whole);
	}

	const sides = () => Object.fromEntries(['base', 'head'].map((side) => [side, picks.sides()[side].map((word) => index.get(word)).filter((i) => i !== undefined)]));
	chart = await trendChart(doc, {by: query.get('x') === 'order' ? 'order' : 'time', range: sight, sides, pressed, moved, signal: at.signal});
	const part = (id, build) => (q) => {
		made.set(id, build(q));
		return made.get(id);
	};
	const parts = [['changes', 'Changes of level', part('changes', (q) => changesList(doc, q, at))],
		['groups', doc.group ? `By ${doc.group}` : 'By group', part('groups', (q) => groupsList(doc, sight ?? whole, q, at))],
		['points', 'Points in sight', part('points', (q) => pointsList(doc, sight ?? whole, picks, q, at))]];
	const chosen = parts.some(([id]) => id === query.get('tab')) ? query.get('tab') : parts[0][0];
	const shown = await tabs({label: 'Tables of the trend', chosen,
		leave: (tab) => at.keep({tab: tab === parts[0][0] ? '' : tab, sort: '', q: ''}),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: parts.map(([id, label, load]) => ({id, label, href: pageOf(query, {tab: id === parts[0][0] ? '' : id, sort: '', q: ''}),
			load: async () => load(id === chosen ? query : new URLSearchParams())}))});
	const csv = fileLink('CSV', api.trendFile(asked(query)), `trend-${(doc.workload || 'unnamed').replace(/[^\w.-]+/g, '_')}-${doc.metric}.csv`);
	return [chart?.node ?? noChart(), h('div', {class: 'toolbar'}, chart ? [h('div', {class: 'line'}, chart.buttons), press.node] : '', h('span', {class: 'links'}, csv)),
		h('h2', {class: 'unseen'}, 'Tables'), ...shown, picks.tray];
}

export async function page(view, query, at) {
	if (!query.has('workload'))
		return chooser(view, query, at);
	const where = {project: query.get('project') ?? '', workload: query.get('workload')};
	const {of} = METRICS[metricOf(query)];
	const wanting = of && !query.get('of');
	const [{doc, refusal}, {doc: names}] = await Promise.all([wanting ? {} : answered(ask(query, at)),
		of ? answered(api.namesOf(of, where, at.signal)) : {}]);
	const title = `Trends of ${workloadName(where)}`;
	view.append(h('p', {class: 'crumbs'}, h('a', {href: '/trends'}, 'Trends'), ` / ${workloadName(where)}`),
		h('h1', {class: doc ? 'headline' : null}, doc ? headline(doc) : title), trendForm(query, names ?? [], at));
	if (wanting)
		view.append(h('p', {class: 'lacking'}, `Which ${of}? Those of the newest run are offered.`));
	if (refusal)
		view.append(told(refusal, pageOf(query)));
	if (!doc)
		return title;
	const short = lacks(doc);
	view.append(short ? h('p', {class: 'lacking'}, short) : '');
	if (doc.points.run.length)
		view.append(...await series(doc, query, at));
	else
		view.append(h('p', {class: 'empty'}, 'No run has this number; take a filter away, or ask for another.'));
	return title;
}
