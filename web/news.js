// news.js - the one place, on top of every page, where a failure is told, and
// the unseen line that tells news to those who listen rather than look.

import {h} from './dom.js';
import {hasToken, setToken} from './api.js';

const failurePlace = () => document.getElementById('failure');

export function clearFailure() {
	failurePlace().replaceChildren();
}

function tokenForm(again) {
	const input = h('input', {type: 'password', id: 'token', autocomplete: 'off', required: true});
	return h('form', {class: 'token', on: {submit: (e) => {
		e.preventDefault();
		setToken(input.value.trim());
		again();
	}}}, h('label', {for: 'token'}, 'Access token'), input,
	h('button', {type: 'submit'}, 'Use it'));
}

// Shows the sentence of a failure; `again` repeats what failed.
export function showFailure(error, again) {
	failurePlace().replaceChildren(h('div', {class: 'failure'},
		h('p', {role: 'alert'}, h('strong', {}, 'Failed: '), error.message),
		error.status === 401 || (error.status === 403 && hasToken()) ? tokenForm(again) : null,
		h('button', {type: 'button', on: {click: again}}, 'Try again'),
		h('button', {type: 'button', on: {click: clearFailure}}, 'Dismiss')));
}

// Said by a screen reader when it next pauses; each sentence once.
export function tell(sentence) {
	document.getElementById('news').textContent = sentence;
}
