// session.js - who is asking: told in the header, and how to become somebody else.
// The token goes to the server once and comes back as a cookie that no script can
// read, so links to files carry it as well.

import * as api from './api.js';
import {h} from './dom.js';

export const SCOPE_TEXTS = {none: 'nothing', read: 'read', upload: 'read and upload', admin: 'everything'};

const place = () => document.getElementById('who');

// "ci", "Sign in".
const displayName = (me) => (me.by === 'cookie' ? me.name : 'Sign in');

function showSession(me) {
	place().textContent = displayName(me);
	place().setAttribute(
		'title',
		me.by === 'cookie'
			? `signed in as ${me.name}, for ${me.project === null ? 'all projects' : `project ${me.project}`}`
			: 'nobody is signed in',
	);
	return me;
}

// A cookie whose token is gone is answered 401, and taken back by that very
// answer: who asks again is nobody.
export async function currentSession(signal) {
	try {
		return showSession(await api.session(signal));
	} catch (error) {
		if (error.status !== 401) throw error;
		return showSession(await api.session(signal));
	}
}

// In the header, whatever the page beneath it does; where the server is away the
// page says so.
export function showHeader() {
	currentSession().catch(() => {});
}

async function signIn(token) {
	await api.signIn(token);
	return currentSession();
}

export async function signOut() {
	await api.signOut();
	return currentSession();
}

// A field for a token; then(me) once the server took it. What it refuses is said
// beneath.
export function tokenForm(then, id = 'token') {
	const input = h('input', {type: 'password', id, autocomplete: 'off', required: true, placeholder: 'ks_…'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});

	async function taken(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			then(await signIn(input.value.trim()));
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h(
		'form',
		{class: 'token', on: {submit: taken}},
		h('label', {for: id}, 'Access token'),
		input,
		h('button', {type: 'submit'}, 'Sign in'),
		wrong,
	);
}
