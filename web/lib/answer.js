// answer.js - an answer, or the server's sentence why there is none: no such run,
// nothing of the kind in it, too much of it, no place to work it out. Such a part
// says so where it would stand, and the page around it is whole.

import {h} from './dom.js';
import {sentence} from './layers.js';

const SHOWN_IN_PLACE = [400, 404, 409, 413, 422, 503];
const TEMPORARY = 503;

// {doc}, or {refusal}.
export async function answerOrRefusal(asked) {
	try {
		return {doc: await asked};
	} catch (refusal) {
		if (!SHOWN_IN_PLACE.includes(refusal.status)) throw refusal;
		return {refusal};
	}
}

// What passes may be asked for again, at `here`.
export const refusalLine = (refusal, here) =>
	h(
		'p',
		{class: 'lacking', role: 'alert'},
		sentence(refusal.message),
		refusal.status === TEMPORARY ? [' ', h('a', {href: here}, 'Try again')] : null,
	);
