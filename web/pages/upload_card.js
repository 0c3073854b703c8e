// upload_card.js - one file on its way: how far it is, what became of it, and
// what can be done about it.

import {h} from '../dom.js';
import * as f from '../format.js';
import {tell} from '../news.js';

const STAGES = {queued: 'waiting for a worker', receiving: 'being stored'};

// What a delivery is doing, and how far that is (null: nobody knows).
function standing(d) {
	if (d.phase === 'waiting')
		return {text: 'waiting to be sent', share: 0};
	if (d.phase === 'sending') {
		const share = f.progress(d.sent, d.file.size);
		return {text: share === 100 ? 'sent, being stored' : `sending, ${share ?? 0} %`, share};
	}
	if (d.phase === 'refused')
		return {text: 'failed'};
	const {state, progress, runs} = d.upload;
	if (state === 'done')
		return {text: `${d.existing ? 'was here already' : 'done'}: ${f.plural(runs.length, 'run')}`};
	if (state === 'failed')
		return {text: 'failed'};
	const share = progress && f.progress(progress.done_bytes, progress.total_bytes);
	const stage = progress?.stage ?? STAGES[state] ?? state;
	return {text: share === null ? stage : `${stage}, ${share} %`, share};
}

function reason(d) {
	const sentence = d.phase === 'refused' ? d.error.message : d.upload?.error;
	return sentence ? h('p', {class: 'sentence'}, sentence) : null;
}

function runLinks(d) {
	const runs = d.upload?.runs ?? [];
	if (!runs.length)
		return null;
	return h('p', {class: 'runs'}, runs.length > 8
		? h('a', {href: `/runs?upload=${d.upload.id}`}, `All ${runs.length} runs`)
		: runs.map((id) => h('a', {href: `/runs/${id}`}, `Run #${id}`)));
}

// `ended` is called whenever its upload has come to a new state.
export function card(delivery, ended, signal) {
	const {file} = delivery;
	const bar = h('progress', {max: 100, 'aria-label': `Progress of ${file.name}`});
	const state = h('span', {class: 'state'});
	const rest = h('div');
	const node = h('li', {class: 'card', tabindex: '-1'}, h('div', {class: 'line'}, h('strong', {class: 'file'}, file.name),
		h('span', {class: 'quiet'}, f.bytes(file.size)), state), bar, rest);
	let before = '';

	function draw(e) {
		const {text, share} = standing(delivery);
		const failed = text === 'failed';
		state.textContent = text;
		state.className = `state ${failed ? 'failed' : delivery.over ? 'done' : 'working'}`;
		bar.hidden = delivery.over;
		if (share === null || share === undefined)
			bar.removeAttribute('value');
		else
			bar.value = share;
		const now = `${delivery.phase} ${delivery.upload?.state}`;
		if (now === before)
			return;
		before = now;
		const stood = rest.contains(document.activeElement);
		rest.replaceChildren(...[reason(delivery), runLinks(delivery), failed
			? h('button', {type: 'button', 'aria-label': `Retry ${file.name}`,
				on: {click: () => delivery.again()}}, 'Retry') : null].filter(Boolean));
		if (stood)
			node.focus();
		if (e && delivery.over)
			tell(`${file.name}: ${text}`);
		if (e && delivery.phase === 'kept')
			ended();
	}

	delivery.addEventListener('change', draw, {signal});
	draw();
	return node;
}
