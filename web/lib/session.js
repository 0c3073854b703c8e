// session.js - signs in and out, and shows the account name in the header. The token is sent to the
// server once. The server returns it as a cookie that scripts cannot read. The browser sends this
// cookie with every request, so links to files work too.

import * as api from './api.js';
import {h} from './dom.js';
import * as perfetto from './perfetto.js';

export const SCOPE_TEXTS = {none: 'nothing', read: 'read', upload: 'read and upload', admin: 'everything'};

const place = () => document.getElementById('who');

// "ci", "Sign in".
const displayName = (me) => (me.by === 'cookie' ? me.name : 'Sign in');

function showSession(me) {
	perfetto.useAddress(me.perfetto_url);
	for (const node of document.querySelectorAll('[data-perfetto-host]')) node.textContent = perfetto.address().host;
	place().textContent = displayName(me);
	place().setAttribute(
		'title',
		me.by === 'cookie'
			? `signed in as ${me.name}, access to ${me.project === null ? 'all projects' : `project ${me.project}`}`
			: 'not signed in',
	);
	return me;
}

// If the cookie contains a revoked token, the answer is status 401. The same answer deletes the
// cookie, so the second request is anonymous.
async function askSession(signal) {
	try {
		return showSession(await api.session(signal));
	} catch (error) {
		if (error.status !== 401) throw error;
		return showSession(await api.session(signal));
	}
}

// Whether the user may change and delete runs of a project; without a project, any runs.
export const administers = (me, project) =>
	me.scope === 'admin' && (project === undefined || me.project === null || me.project === project);

// The header's request when the dashboard is opened. The first page uses its answer too; a page
// that is opened later sends its own request, because the token may have been revoked since.
const SHARED_MS = 5000;
let first = null;

export function currentSession(signal) {
	const answer = first && performance.now() < first.until_ms ? first.answer : null;
	first = null;
	return answer ?? askSession(signal);
}

// The account name in the header. Errors are ignored here: the page shows them.
export function showHeader() {
	first = {answer: askSession(), until_ms: performance.now() + SHARED_MS};
	first.answer.catch(() => {});
}

async function signIn(token) {
	await api.signIn(token);
	return askSession();
}

export async function signOut() {
	await api.signOut();
	return askSession();
}

// A form for a token; then(me) runs after signing in. Errors are shown below it.
export function tokenForm(then, id = 'token') {
	const input = h('input', {type: 'password', id, autocomplete: 'off', required: true, placeholder: 'ks_…'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});

	async function submit(e) {
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
		{class: 'token', on: {submit: submit}},
		h('label', {for: id}, 'Access token'),
		input,
		h('button', {type: 'submit'}, 'Sign in'),
		wrong,
	);
}
