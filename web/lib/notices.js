// notices.js - error messages at the top of the page, and announcements for screen readers.

import {h} from './dom.js';
import {tokenForm} from './session.js';

// With these statuses, another token may have the permission.
const SIGN_IN_HELPS = [401, 403];

const failurePlace = () => document.getElementById('failure');

export function clearFailure() {
	failurePlace().replaceChildren();
}

// Shows an error message; `again` retries what failed.
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

// Screen readers read this at their next pause, each sentence once.
export function announce(sentence) {
	document.getElementById('news').textContent = sentence;
}
