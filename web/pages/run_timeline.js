// run_timeline.js - a run as a timeline: opened in the Perfetto UI, or taken
// away as a file.

import * as api from '../api.js';
import {lacking} from '../content.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import * as perfetto from '../perfetto.js';
import {showFailure} from '../news.js';
import {fileLink} from './run_columns.js';

function opener(run, name, at) {
	const where = api.runFile(run.id, 'timeline');
	const state = h('span', {class: 'quiet', role: 'status'});
	const amount = h('span', {class: 'quiet'});
	const button = h('button', {type: 'button', 'aria-describedby': 'perfetto-hint', on: {click: open}},
		'Open in Perfetto');
	let busy = false;

	function become(text) {
		busy = text === 'opening…';
		button.setAttribute('aria-disabled', busy);
		state.textContent = text;
		amount.textContent = '';
	}

	async function open() {
		if (busy)
			return;
		become('opening…');
		try {
			await perfetto.show((signal) => api.bytes(where, {signal,
				told: (n) => { amount.textContent = `${f.bytes(n)} of the trace fetched`; }}), {
				title: name, fileName: `run-${run.id}.trace.json`, url: `${location.origin}/runs/${run.id}`,
			}, {signal: at.signal});
			become('opened');
		} catch (error) {
			become('');
			if (!at.signal.aborted)
				showFailure(error, open);
		}
	}

	return {button, state: [state, amount]};
}

export function timelineBar(run, name, at) {
	const capture = fileLink('Capture (.kst)', api.runFile(run.id, 'capture'), `run-${run.id}.kst`);
	if (lacking(run))
		return h('section', {class: 'timeline', 'aria-label': 'Timeline'}, h('div', {class: 'line'}, capture,
			h('span', {class: 'quiet'}, 'There is no timeline, because there are no single launches to draw.')));
	const {button, state} = opener(run, name, at);
	return h('section', {class: 'timeline', 'aria-label': 'Timeline'},
		h('div', {class: 'line'}, button,
			fileLink('Chrome trace', api.runFile(run.id, 'timeline'), `run-${run.id}.trace.json`), capture, state),
		h('p', {class: 'hint', id: 'perfetto-hint'}, 'Perfetto opens in a new tab, loaded from ui.perfetto.dev. ',
			'The trace is handed to that tab inside your browser and is sent to no server; ',
			'the Perfetto page may ask whether it trusts this one.'));
}
