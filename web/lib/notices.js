// notices.js - the one place, on top of every page, where a failure is told, and
// the unseen line that tells news to those who listen rather than look.

import {h} from './dom.js';
import {tokenForm} from './session.js';

// Another token may be let in.
const SIGN_IN_HELPS = [401, 403];

const failurePlace = () => document.getElementById('failure');

export function clearFailure() {
	failurePlace().replaceChildren();
}

// Shows the sentence of a failure; `again` repeats what failed.
export function showFailure(error, again) {
	failurePlace().replaceChildren(
		h(
			'div',
			{class: 'failure'},
			h('p', {role: 'alert'}, h('strong', {}, 'Failed: '), error.message),
			SIGN_IN_HELPS.includes(error.status) ? tokenForm(again) : null,
			h('button', {type: 'button', on: {click: again}}, 'Try again'),
			h('button', {type: 'button', on: {click: clearFailure}}, 'Dismiss'),
		),
	);
}

// Said by a screen reader when it next pauses; each sentence once.
export function announce(sentence) {
	document.getElementById('news').textContent = sentence;
}
