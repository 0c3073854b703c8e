// parts.js - parts of a page that are loaded separately: a part that fails says what is missing, and
// the others stay.

import {Failure} from './api.js';
import {h} from './dom.js';
import {showFailure} from './notices.js';

export const missingText = (error) =>
	error instanceof Failure ? error.message : 'the answer of the server cannot be read';

const SIGN_IN = [401, 403];

// The parts of a page. A part that fails has a button that loads all failed parts again.
export function partList(signal) {
	const failed = new Set();

	function again() {
		const all = [...failed];
		failed.clear();
		for (const load of all) load();
	}

	// load() returns the content; `what` is missing if it fails.
	return function part(title, what, load) {
		const place = h('div', {class: 'part'}, h('p', {class: 'loading'}, 'Loading…'));
		async function show() {
			place.setAttribute('aria-busy', 'true');
			try {
				place.replaceChildren(...[await load()].flat());
			} catch (error) {
				if (signal.aborted) return;
				failed.add(show);
				if (SIGN_IN.includes(error.status)) showFailure(error, again);
				place.replaceChildren(
					h('p', {class: 'wrong'}, `${what} missing: ${missingText(error)}.`),
					h('p', {}, h('button', {type: 'button', on: {click: again}}, 'Try again')),
				);
			} finally {
				place.removeAttribute('aria-busy');
			}
		}
		show();
		const id = `part-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
		return h('section', {'aria-labelledby': id}, h('h2', {id}, title), place);
	};
}
