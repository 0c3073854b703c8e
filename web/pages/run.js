// run.js - one run: what it fell short of first, then who it is, its totals,
// its timeline, and its tables, one at a time.

import * as api from '../api.js';
import {h} from '../dom.js';
import {showFailure} from '../news.js';
import {tabs} from '../tabs.js';
import {copyTab} from './run_copies.js';
import {cycleTab} from './run_cycles.js';
import {graphSection} from './run_graphs.js';
import {compareBar, deviceTable, graphBanner, identity, lackingLine, mark, noteList, totals} from './run_head.js';
import {groupTab} from './run_groups.js';
import {kernelTab} from './run_kernels.js';
import {layerTab} from './run_layers.js';
import {launchTab} from './run_launches.js';
import {operatorTab} from './run_operators.js';
import {patternTab} from './run_patterns.js';
import {timelineBar} from './run_timeline.js';

async function kernels(run, query, at) {
	const [graphs, {node, save}] = await Promise.all([graphSection(run, at), kernelTab(run, query, at)]);
	if (!graphs)
		return {node, save};
	return {save, node: h('div', {class: 'part'}, graphs,
		h('section', {'aria-labelledby': 'kernels'}, h('h2', {id: 'kernels'}, 'Kernels outside graphs'), node))};
}

const PARTS = [
	['kernels', 'Kernels', kernels],
	['operators', 'Operators', operatorTab],
	['layers', 'Layers', layerTab],
	['groups', 'Launched together', groupTab],
	['launches', 'Launch latency', launchTab],
	['cycles', 'Cycles', cycleTab],
	['patterns', 'Functions in a cycle', patternTab],
	['copies', 'Copies and sets', copyTab],
	['devices', 'Devices', (run) => ({node: deviceTable(run)})],
];

// The address holds the view of the part in front and of no other.
function clear(at, tab) {
	const gone = [...new URLSearchParams(location.search).keys()].map((key) => [key, '']);
	at.keep({...Object.fromEntries(gone), tab: tab === PARTS[0][0] ? '' : tab});
}

export async function page(view, query, at) {
	const [run, notes] = await Promise.all([api.run(at.id, at.signal), api.notes(at.id, at.signal)]);
	const name = run.name || `run ${run.id}`;
	const chosen = query.get('tab') ?? PARTS[0][0];
	const parts = await tabs({label: 'Tables of this run', chosen,
		leave: (tab) => clear(at, tab),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({id, label,
			href: id === PARTS[0][0] ? `/runs/${run.id}` : `/runs/${run.id}?tab=${id}`,
			load: async () => {
				const {node, save} = await load(run, id === chosen ? query : new URLSearchParams(), at);
				return {save, node: h('div', {class: 'part'}, lackingLine(run), node)};
			}}))});

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/runs'}, 'Runs'), ` / #${run.id}`),
		h('div', {class: 'title'}, h('h1', {}, name), mark(run) ?? ''),
		graphBanner(run) ?? '',
		noteList(notes.items) ?? '',
		identity(run),
		totals(run),
		compareBar(run),
		timelineBar(run, name, at),
		...parts);
	return name;
}
