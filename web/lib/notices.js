// notices.js - messages at the top of the page, and announcements for screen readers.

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

const noticePlace = () => document.getElementById('done');

// Shows what a change did, until the user dismisses it or makes another change; it stays while the
// user opens other pages. `action` is a button, such as Undo.
export function showDone(sentence, action) {
	noticePlace().replaceChildren(
		h(
			'div',
			{class: 'change-done'},
			h('p', {role: 'status'}, sentence),
			action,
			h('button', {type: 'button', on: {click: () => noticePlace().replaceChildren()}}, 'Dismiss'),
		),
	);
}

// Screen readers read this at their next pause, each sentence once.
export function announce(sentence) {
	document.getElementById('news').textContent = sentence;
}
