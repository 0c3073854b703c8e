// answer.js - shows an answer, or the server's reason why there is none: an unknown run, no data of
// this kind, too much data. If a part of a page has no answer, it shows the reason, and the other
// parts of the page remain.

import {h} from './dom.js';
import {sentence} from './layers.js';

const SHOWN_IN_PLACE = [400, 404, 409, 413, 422, 503];
const TEMPORARY = 503;

// Returns {doc}, or {refusal} if the server rejects the request.
export async function answerOrRefusal(pending) {
	try {
		return {doc: await pending};
	} catch (refusal) {
		if (!SHOWN_IN_PLACE.includes(refusal.status)) throw refusal;
		return {refusal};
	}
}

// If the failure is temporary, shows a link that tries again, at `here`.
export const refusalLine = (refusal, here) =>
	h(
		'p',
		{class: 'notice', role: 'alert'},
		sentence(refusal.message),
		refusal.status === TEMPORARY ? [' ', h('a', {href: here}, 'Try again')] : null,
	);
