// complete.js - completes the fields of a filter from all values that the server stores, not only
// from those of the rows in sight.

import * as api from '../lib/api.js';
import {h} from '../lib/dom.js';

const PAUSE_MS = 150;
// Fields of this name have such values.
const OF = ['project', 'workload', 'device', 'framework', 'label'];

let lists = 0;

// Adds a list of values to a field. Without an answer the field has no suggestions, and everything
// else works.
function complete(form, field, signal) {
	const list = h('datalist', {id: `values-${++lists}`});
	let timer = null;
	let requested = null;

	async function fill() {
		const q = field.value.trim();
		const project = field.name === 'project' ? '' : (form.elements.namedItem('project')?.value.trim() ?? '');
		if (requested === `${q}\n${project}`) return;
		requested = `${q}\n${project}`;
		try {
			const {items} = await api.values({of: field.name, q, project}, signal);
			if (field.value.trim() === q)
				list.replaceChildren(
					...items.map(({value, runs}) => h('option', {value, label: runs === 1 ? '1 run' : `${runs} runs`})),
				);
		} catch {
			requested = null;
		}
	}

	field.setAttribute('list', list.id);
	field.setAttribute('autocomplete', 'off');
	field.addEventListener('focus', fill);
	field.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(fill, PAUSE_MS);
	});
	return list;
}

// Completes the fields of a form by their names.
export function completeFields(form, signal) {
	const fields = [...form.elements].filter((field) => field.tagName === 'INPUT' && OF.includes(field.name));
	form.append(...fields.map((field) => complete(form, field, signal)));
	return form;
}
