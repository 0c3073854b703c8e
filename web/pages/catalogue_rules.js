// catalogue_rules.js - tab: rules from names to operators, those added here
// first; and which of them catches a name, tried before it is saved.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {listing} from '../listing.js';
import {table} from '../table.js';
import {ownMark} from './catalogue_lists.js';
import {ownEditor} from './catalogue_own.js';

const RULE = {match: '^my_norm_kernel', family: 'norm', operator: 'rms_norm'};

const COLUMNS = [
	{label: 'No.', num: true, up: '-no', down: 'no', value: (r) => -r.rule, cell: (r) => f.count(r.rule)},
	{label: 'Pattern', head: true, class: 'kernel full', up: 'name', down: '-name', value: (r) => r.match, cell: (r) => [h('code', {}, r.match), ' ', ownMark(r)].filter(Boolean)},
	{label: 'Family', class: 'family', up: 'family', down: '-family', value: (r) => r.family, cell: (r) => r.family ?? f.NONE},
	{label: 'Operator', class: 'family', up: 'operator', down: '-operator', value: (r) => r.operator,
		cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE), title: (r) => (r.operator ? null : 'tells a family, but no operator')},
];

// The name before, within and after what the pattern covered, which is told in
// bytes of UTF-8.
export function parted({name, from, to}) {
	const bytes = new TextEncoder().encode(name);
	return [[0, from ?? bytes.length], [from ?? bytes.length, to ?? bytes.length], [to ?? bytes.length, bytes.length]]
		.map(([a, b]) => new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes.subarray(a, b)));
}

function marked(row) {
	const [before, within, after] = parted(row);
	return h('code', {}, before, within && h('mark', {}, within), after);
}

const TRIED = [
	{label: 'Name', head: true, class: 'kernel full', cell: marked},
	{label: 'Operator', class: 'family', cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE)},
	{label: 'Family', class: 'family', cell: (r) => r.family ?? f.NONE},
	{label: 'Why', class: 'wide why', cell: (r) => [r.why, ' ', ownMark(r)].filter(Boolean)},
];

// `draft` answers the own rules as they are being edited.
function trial(query, draft, at) {
	const area = h('textarea', {rows: 3, spellcheck: 'false', id: 'names'});
	const drafts = h('input', {type: 'checkbox'});
	const place = h('div', {'aria-live': 'polite'});
	area.value = query.get('test') ?? '';

	async function ask(e) {
		e?.preventDefault();
		const names = area.value.split('\n').map((name) => name.trim()).filter(Boolean);
		at.keep({test: names.join('\n')});
		if (!names.length) {
			place.replaceChildren(h('p', {class: 'quiet'}, 'Type or paste names of kernels, one a line.'));
			return;
		}
		try {
			const {items} = await api.testRules({names, ...(drafts.checked ? {rules: draft()} : {})}, at.signal);
			place.replaceChildren(table({caption: 'Tried names', columns: TRIED, rows: items}).node);
		} catch (error) {
			if (!at.signal.aborted)
				place.replaceChildren(h('p', {class: 'sentence'}, error.message));
		}
	}

	if (area.value)
		setTimeout(() => at.signal.aborted || ask());
	return {names: () => area.value.trim(), node: h('section', {'aria-labelledby': 'trial', class: 'trial'},
		h('h2', {id: 'trial'}, 'Which rule?'),
		h('form', {on: {submit: ask}}, h('div', {class: 'field'}, h('label', {for: 'names'}, 'Names of kernels, one a line'), area),
			h('div', {class: 'line'}, h('button', {type: 'submit', class: 'main'}, 'Test'),
				h('label', {class: 'check'}, drafts, 'with the rules as they are being edited above'))), place)};
}

export async function rulesTab(query, at) {
	const refresh = () => api.catalogue('rules', at.signal);
	const doc = await refresh();
	const place = h('div');
	let shown;

	function build(next, q) {
		shown = listing({caption: 'Rules', columns: COLUMNS, rows: next.items, query: q, usual: '', what: 'rule', at,
			text: (r) => [r.match, r.family, r.operator].join(' '), empty: 'There is no rule.', keep: () => ({test: tried.names()})});
		place.replaceChildren(shown.node);
	}

	const editor = ownEditor('rules', doc, RULE, (next) => build(next, new URLSearchParams(location.search)), refresh);
	const tried = trial(query, editor.draft, at);
	build(doc, query);
	return {save: () => shown.save(), node: h('div', {class: 'part'},
		h('p', {class: 'hint'}, 'Patterns are PCRE2 over the demangled name; the first that matches tells. Rules added here are tried before the program\'s own.'),
		editor.node, tried.node, h('h2', {}, 'Rules in their order'), place)};
}
