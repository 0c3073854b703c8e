// settings_you.js - tab: who the server takes the reader for; signing in and out.

import {facts, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {MAY, signOut, tokenForm, who} from '../session.js';

const HOW = {
	none: 'Nobody is signed in. A token is made by whoever looks after this server: here under Tokens, or with `kernsiftd token`.',
	loopback: 'Nobody is signed in. On the machine that the server runs on, reading and uploading need no token; deleting, changing and these settings do.',
	cookie: 'The token is kept in a cookie that no script can read, for this server and this browser alone.',
	token: 'Something between here and the server sends a token of its own.',
};

export async function youTab(query, at) {
	const place = h('div', {class: 'part'});

	async function out() {
		try {
			draw(await signOut());
			tell('signed out');
		} catch (error) {
			if (!at.signal.aborted)
				showFailure(error, out);
		}
	}

	function draw(me) {
		place.replaceChildren(facts([
			['Signed in as', me.by === 'cookie' || me.by === 'token' ? me.name : 'nobody'],
			['May', MAY[me.scope]],
			['In', me.scope === 'none' ? null : me.project ?? 'all projects'],
			['Until', me.expires_at ? h('time', {datetime: me.expires_at}, f.moment(me.expires_at)) : me.by === 'cookie' ? 'revoked' : null],
		]), h('p', {class: 'hint wide-text'}, HOW[me.by]),
		me.by === 'cookie' ? h('p', {}, h('button', {type: 'button', on: {click: out}}, 'Sign out'))
			: tokenForm((next) => { draw(next); tell(`signed in as ${next.name}`); }, 'token-you'));
	}

	draw(await who(at.signal));
	return {node: place};
}
