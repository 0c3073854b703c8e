// answered.js - an answer, or the server's sentence why there is none: no such run,
// nothing of the kind in it, too much of it, no place to work it out. Such a part
// says so where it would stand, and the page around it is whole.

import {h} from '../dom.js';
import {sentence} from '../layers.js';

const TOLD = [400, 404, 409, 413, 422, 503];
const PASSES = 503;

// {doc}, or {refusal}.
export async function answered(asked) {
	try {
		return {doc: await asked};
	} catch (refusal) {
		if (!TOLD.includes(refusal.status))
			throw refusal;
		return {refusal};
	}
}

// What passes may be asked for again, at `here`.
export const told = (refusal, here) => h('p', {class: 'lacking', role: 'alert'}, sentence(refusal.message),
	refusal.status === PASSES ? [' ', h('a', {href: here}, 'Try again')] : null);
