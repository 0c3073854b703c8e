// catalog.js - what is known about kernels, operators and hardware, and what an
// installation adds to it: rules and the test of them, operators, platforms,
// what no rule knows, reference sets.

import * as api from '../lib/api.js';
import {confirmButton, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {announce, showFailure} from '../lib/notices.js';
import {kernelColumns} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {tokenForm} from '../lib/session.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';

// The own part of the catalogue as text that is edited and
// put back whole; what the server refuses is said beside it.

// A list of JSON objects, each on lines of its own; throws with a sentence.
export function parseOverrides(text) {
	let list;
	try {
		list = JSON.parse(text.trim() || '[]');
	} catch (error) {
		throw new Error(`this is not JSON: ${error.message}`);
	}
	if (!Array.isArray(list) || list.some((item) => item === null || typeof item !== 'object' || Array.isArray(item)))
		throw new Error('this is not a list of objects: it begins with [ and holds one { … } for each');
	return list;
}

export const formatOverrides = (list) =>
	list.length ? `[\n${list.map((item) => `\t${JSON.stringify(item)}`).join(',\n')}\n]` : '[]';

// The editor of one kind ('rules', …) made from its document; `example` is what
// the button adds, saved(doc) is told the kind's new document.
function overridesEditor(what, doc, example, saved, refresh) {
	let {version} = doc;
	const area = h('textarea', {
		class: 'own',
		spellcheck: 'false',
		'aria-label': `Own ${what}, a JSON list`,
		rows: Math.min(24, 4 + (doc.own ?? []).length),
	});
	const refused = h('div', {class: 'refused', role: 'alert'});
	const said = h('span', {class: 'quiet', role: 'status'});
	const counted = h('span', {}, f.plural((doc.own ?? []).length, `own ${what.slice(0, -1)}`));
	area.value = formatOverrides(doc.own ?? []);

	function refuse(error) {
		refused.replaceChildren(
			h('p', {class: 'sentence'}, h('strong', {}, 'Not saved: '), error.message),
			error.status === 401 || error.status === 403 ? tokenForm(save, 'token-own') : '',
			error.status === 409
				? h('button', {type: 'button', on: {click: reload}}, 'Show what is saved there now')
				: '',
		);
		said.textContent = '';
	}

	function taken(next, sentence) {
		({version} = next);
		area.value = formatOverrides(next.own ?? []);
		counted.textContent = f.plural((next.own ?? []).length, `own ${what.slice(0, -1)}`);
		said.textContent = sentence;
		refused.replaceChildren();
		saved(next);
	}

	async function reload() {
		try {
			taken(await refresh(), 'What is saved is shown.');
		} catch (error) {
			refuse(error);
		}
	}

	async function save() {
		refused.replaceChildren();
		said.textContent = 'Saving…';
		try {
			const answer = await api.replaceCatalog(what, version, parseOverrides(area.value));
			taken(await refresh(), `Saved as version ${answer.version}. ${answer.message ?? ''}`);
			announce(`own ${what} saved`);
		} catch (error) {
			refuse(error);
		}
	}

	function add() {
		let list;
		try {
			list = parseOverrides(area.value);
		} catch (error) {
			refuse(error);
			return;
		}
		area.value = formatOverrides([...list, example]);
		area.focus();
	}

	return {
		draft: () => parseOverrides(area.value),
		node: h(
			'details',
			{class: 'editor formats', open: (doc.own ?? []).length > 0},
			h('summary', {}, 'Edit what is added here: ', counted),
			area,
			h(
				'div',
				{class: 'line'},
				h('button', {type: 'button', class: 'main', on: {click: save}}, 'Save'),
				h('button', {type: 'button', on: {click: add}}, 'Add an example'),
				h('span', {class: 'hint'}, 'Saving needs an admin token.'),
				said,
			),
			refused,
		),
	};
}

// Tabs: operators; platforms with their peaks and where the
// figures are from. Each with what is added here.

const overrideMark = (r) => (r.own ? h('span', {class: 'mark'}, 'own') : null);

const OPERATORS = [
	{
		label: 'Operator',
		head: true,
		class: 'operator',
		up: 'name',
		down: '-name',
		value: (r) => r.name,
		cell: (r) => [h('code', {}, r.name), ' ', overrideMark(r)].filter(Boolean),
	},
	{label: 'Group', up: 'group', down: '-group', value: (r) => r.group, cell: (r) => r.group || f.NONE},
	{
		label: 'What it does',
		class: 'wide',
		cell: (r) =>
			[
				r.what || f.NONE,
				r.specific === false ? h('span', {class: 'quiet'}, ' (says nothing specific)') : null,
				r.collective ? h('span', {class: 'quiet'}, ' (waits for other ranks)') : null,
			].filter(Boolean),
	},
	{label: 'Sizes', class: 'wide', cell: (r) => (r.sizes?.length ? h('code', {}, r.sizes.join(' ')) : f.NONE)},
];
const OPERATOR = {name: 'my_norm', what: 'normalises rows in our own way', group: 'norm', sizes: ['tokens', 'hidden']};

function peaks(r) {
	return h(
		'ul',
		{class: 'peaks'},
		Object.entries(r.peak_flops ?? {})
			.filter(([, peak]) => peak > 0)
			.sort((a, b) => b[1] - a[1])
			.map(([dtype, peak]) => h('li', {}, h('code', {}, dtype), ' ', o.amount(peak, 'FLOP/s'))),
	);
}
const PLATFORMS = [
	{
		label: 'Platform',
		head: true,
		up: 'name',
		down: '-name',
		value: (r) => r.name,
		cell: (r) => [r.name, ' ', overrideMark(r)].filter(Boolean),
	},
	{label: 'Vendor', up: 'vendor', down: '-vendor', value: (r) => r.vendor, cell: (r) => r.vendor || f.NONE},
	{
		label: 'Bandwidth',
		num: true,
		down: 'bandwidth',
		up: '-bandwidth',
		value: (r) => r.bytes_per_s,
		cell: (r) => o.amount(r.bytes_per_s, 'B/s'),
	},
	{label: 'Peaks', cell: peaks},
	{
		label: 'Launch floor',
		unit: 'µs',
		num: true,
		down: 'floor',
		up: '-floor',
		value: (r) => r.launch_floor_ns ?? null,
		cell: (r) => f.inUnit(r.launch_floor_ns, 'µs', 1),
		title: () => "below this a kernel's time is mostly its launch: no headroom",
	},
	{label: 'Figures from', class: 'wide', cell: (r) => r.source || f.NONE},
];
const PLATFORM = {
	name: 'MyGPU',
	vendor: 'NVIDIA',
	source: 'measured here',
	devices: ['MyGPU 80GB'],
	peak_flops: {bf16: 1e14, fp32: 5e13},
	bytes_per_s: 2e12,
	launch_floor_ns: 3000,
};

// A list of the catalogue with its search, and the editor of its own part.
async function list(what, {caption, columns, example, text, hint}, query, at) {
	const refresh = () => api.catalog(what, at.signal);
	const place = h('div');
	let shown;
	const one = what.slice(0, -1);

	function build(doc, q) {
		shown = listing({
			caption,
			columns,
			rows: doc.items,
			query: q,
			usual: '',
			what: one,
			text,
			at,
			empty: `There is no ${one}.`,
		});
		place.replaceChildren(shown.node);
	}

	const doc = await refresh();
	build(doc, query);
	const editor = overridesEditor(
		what,
		doc,
		example,
		(next) => build(next, new URLSearchParams(location.search)),
		refresh,
	);
	return {
		save: () => shown.save(),
		node: h('div', {class: 'part'}, hint ? h('p', {class: 'hint'}, hint) : '', editor.node, place),
	};
}

const operatorsTab = (query, at) =>
	list(
		'operators',
		{
			caption: 'Operators of the catalogue',
			columns: OPERATORS,
			example: OPERATOR,
			text: (r) => [r.name, r.group, r.what].join(' '),
		},
		query,
		at,
	);
const platformsTab = (query, at) =>
	list(
		'platforms',
		{
			caption: 'Platforms',
			columns: PLATFORMS,
			example: PLATFORM,
			text: (r) => [r.name, r.vendor, r.source].join(' '),
			hint: 'Peaks are dense, without sparsity. Where a platform has no peak for a type, nothing stands in for it: the bound is unknown.',
		},
		query,
		at,
	);

// Tab: rules from names to operators, those added here
// first; and which of them catches a name, tried before it is saved.

const RULE_EXAMPLE = {match: '^my_norm_kernel', family: 'norm', operator: 'rms_norm'};

const RULE_COLUMNS = [
	{label: 'No.', num: true, up: '-no', down: 'no', value: (r) => -r.rule, cell: (r) => f.count(r.rule)},
	{
		label: 'Pattern',
		head: true,
		class: 'kernel full',
		up: 'name',
		down: '-name',
		value: (r) => r.match,
		cell: (r) => [h('code', {}, r.match), ' ', overrideMark(r)].filter(Boolean),
	},
	{
		label: 'Family',
		class: 'family',
		up: 'family',
		down: '-family',
		value: (r) => r.family,
		cell: (r) => r.family ?? f.NONE,
	},
	{
		label: 'Operator',
		class: 'family',
		up: 'operator',
		down: '-operator',
		value: (r) => r.operator,
		cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE),
		title: (r) => (r.operator ? null : 'tells a family, but no operator'),
	},
];

// The name before, within and after what the pattern covered, which is told in
// bytes of UTF-8.
export function splitMatch({name, from, to}) {
	const bytes = new TextEncoder().encode(name);
	return [
		[0, from ?? bytes.length],
		[from ?? bytes.length, to ?? bytes.length],
		[to ?? bytes.length, bytes.length],
	].map(([a, b]) => new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes.subarray(a, b)));
}

function matchedName(row) {
	const [before, within, after] = splitMatch(row);
	return h('code', {}, before, within && h('mark', {}, within), after);
}

const TEST_COLUMNS = [
	{label: 'Name', head: true, class: 'kernel full', cell: matchedName},
	{label: 'Operator', class: 'family', cell: (r) => (r.operator ? h('code', {}, r.operator) : f.NONE)},
	{label: 'Family', class: 'family', cell: (r) => r.family ?? f.NONE},
	{label: 'Why', class: 'wide why', cell: (r) => [r.why, ' ', overrideMark(r)].filter(Boolean)},
];

// `draft` answers the own rules as they are being edited.
function ruleTest(query, draft, at) {
	const area = h('textarea', {rows: 3, spellcheck: 'false', id: 'names'});
	const drafts = h('input', {type: 'checkbox'});
	const place = h('div', {'aria-live': 'polite'});
	area.value = query.get('test') ?? '';

	async function ask(e) {
		e?.preventDefault();
		const names = area.value
			.split('\n')
			.map((name) => name.trim())
			.filter(Boolean);
		at.keep({test: names.join('\n')});
		if (!names.length) {
			place.replaceChildren(h('p', {class: 'quiet'}, 'Type or paste names of kernels, one a line.'));
			return;
		}
		try {
			const {items} = await api.testRules({names, ...(drafts.checked ? {rules: draft()} : {})}, at.signal);
			place.replaceChildren(table({caption: 'Tried names', columns: TEST_COLUMNS, rows: items}).node);
		} catch (error) {
			if (!at.signal.aborted) place.replaceChildren(h('p', {class: 'sentence'}, error.message));
		}
	}

	if (area.value) setTimeout(() => at.signal.aborted || ask());
	return {
		names: () => area.value.trim(),
		node: h(
			'section',
			{'aria-labelledby': 'trial', class: 'trial'},
			h('h2', {id: 'trial'}, 'Which rule?'),
			h(
				'form',
				{on: {submit: ask}},
				h('div', {class: 'field'}, h('label', {for: 'names'}, 'Names of kernels, one a line'), area),
				h(
					'div',
					{class: 'line'},
					h('button', {type: 'submit', class: 'main'}, 'Test'),
					h('label', {class: 'check'}, drafts, 'with the rules as they are being edited above'),
				),
			),
			place,
		),
	};
}

async function rulesTab(query, at) {
	const refresh = () => api.catalog('rules', at.signal);
	const doc = await refresh();
	const place = h('div');
	let shown;

	function build(next, q) {
		shown = listing({
			caption: 'Rules',
			columns: RULE_COLUMNS,
			rows: next.items,
			query: q,
			usual: '',
			what: 'rule',
			at,
			text: (r) => [r.match, r.family, r.operator].join(' '),
			empty: 'There is no rule.',
			keep: () => ({test: tried.names()}),
		});
		place.replaceChildren(shown.node);
	}

	const editor = overridesEditor(
		'rules',
		doc,
		RULE_EXAMPLE,
		(next) => build(next, new URLSearchParams(location.search)),
		refresh,
	);
	const tried = ruleTest(query, editor.draft, at);
	build(doc, query);
	return {
		save: () => shown.save(),
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint'},
				"Patterns are PCRE2 over the demangled name; the first that matches tells. Rules added here are tried before the program's own.",
			),
			editor.node,
			tried.node,
			h('h2', {}, 'Rules in their order'),
			place,
		),
	};
}

// Tab: reference sets, operators and figures that somebody
// published: imported from a file, looked at, taken away.

const setColumns = (drop) => [
	{
		label: 'Set',
		head: true,
		cell: (r) => h('a', {href: `/importance?${new URLSearchParams({set: r.name})}`}, r.name),
	},
	{label: 'Operators', num: true, cell: (r) => f.count(r.operators)},
	{label: 'Shapes', num: true, cell: (r) => f.count(r.shapes)},
	{label: 'Profiles', num: true, cell: (r) => f.count(r.runs)},
	{label: 'Size', num: true, cell: (r) => f.bytes(r.bytes), title: (r) => `${f.count(r.bytes)} bytes`},
	{
		label: 'Imported',
		num: true,
		cell: (r) => h('time', {datetime: r.created_at}, f.age(r.created_at, Date.now())),
		title: (r) => f.moment(r.created_at),
	},
	{label: 'Source', class: 'wide', cell: (r) => r.source || f.NONE},
	{label: 'Remove', cell: (r) => confirmButton('Remove', 'Really remove?', `Remove ${r.name}`, () => drop(r))},
];

// "operators.json" -> "operators"
export const setName = (file) => file.replace(/\.[^.]*$/, '');

function importer(done) {
	const name = h('input', {type: 'text', autocomplete: 'off', placeholder: "the file's own"});
	const said = h('p', {role: 'status', class: 'quiet'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const input = h('input', {
		type: 'file',
		accept: '.json,application/json',
		hidden: true,
		id: 'set-file',
		on: {
			change: () => {
				take(input.files[0]);
				input.value = '';
			},
		},
	});

	async function take(file) {
		if (!file) return;
		const called = name.value.trim() || setName(file.name);
		wrong.textContent = '';
		said.textContent = `Importing ${file.name}…`;
		try {
			const {existing} = await api.saveReferenceSet(called, file);
			said.textContent = existing ? `${called} was here already.` : `${called} is here.`;
			await done();
		} catch (error) {
			said.textContent = '';
			wrong.textContent = `${file.name}: ${error.message}`;
			if (error.status === 401 || error.status === 403) showFailure(error, () => take(file));
		}
	}

	const zone = h(
		'div',
		{
			class: 'drop',
			on: {
				dragover: (e) => {
					e.preventDefault();
					zone.classList.add('over');
				},
				dragleave: (e) => zone.contains(e.relatedTarget) || zone.classList.remove('over'),
				drop: (e) => {
					e.preventDefault();
					zone.classList.remove('over');
					take(e.dataTransfer.files[0]);
				},
			},
		},
		input,
		h('button', {type: 'button', class: 'main', on: {click: () => input.click()}}, 'Choose a file'),
		h('p', {}, 'or drop it here.'),
		h(
			'p',
			{class: 'hint'},
			'A catalogue of production operators as Atrex-Bench publishes it, as JSON: platforms, operators, shapes, figures.',
		),
	);
	return h(
		'section',
		{'aria-label': 'Import a reference set', class: 'sender'},
		h('div', {class: 'bar'}, field('Name of the set', name)),
		zone,
		said,
		wrong,
	);
}

async function referenceSetsTab(query, at) {
	const place = h('div');

	async function draw() {
		const {items} = await api.referenceSets(at.signal);
		place.replaceChildren(
			table({caption: 'Reference sets', columns: setColumns(drop), rows: items, empty: 'No set is imported yet.'})
				.node,
		);
	}

	async function drop(row) {
		try {
			await api.deleteReferenceSet(row.name);
			await draw();
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, () => drop(row));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, importer(draw), h('h2', {}, 'Sets that are here'), place)};
}

// Tab: the kernels that nothing knows, over all runs,
// most time first.

const LIMIT = 500;

async function unattributedTab(query, at) {
	const {items} = await api.unattributed({limit: LIMIT}, at.signal);
	const shown = listing({
		caption: 'Unattributed kernels',
		columns: kernelColumns(items),
		rows: items,
		query,
		usual: 'total',
		what: 'kernel',
		at,
		text: (r) => r.name,
		empty: 'Every kernel that was sent has an operator.',
	});
	return {
		save: shown.save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint'},
				'No annotation, operator or rule tells what these kernels do, over all runs. A rule for the first of them explains most. ',
				items.length === LIMIT ? `The ${LIMIT} with most time are shown.` : '',
			),
			shown.node,
		),
	};
}

const PARTS = [
	['operators', 'Operators', operatorsTab],
	['rules', 'Rules', rulesTab],
	['platforms', 'Platforms', platformsTab],
	['unattributed', 'Unattributed', unattributedTab],
	['sets', 'Reference sets', referenceSetsTab],
];

function clear(at, tab) {
	const gone = [...new URLSearchParams(location.search).keys()].map((key) => [key, '']);
	at.keep({...Object.fromEntries(gone), tab: tab === PARTS[0][0] ? '' : tab});
}

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const parts = await tabs({
		label: 'Parts of the catalogue',
		chosen,
		leave: (tab) => clear(at, tab),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({
			id,
			label,
			href: id === PARTS[0][0] ? '/catalogue' : `/catalogue?tab=${id}`,
			load: () => load(id === chosen ? query : new URLSearchParams(), at),
		})),
	});
	view.append(
		h('h1', {}, 'Catalogue'),
		h(
			'p',
			{class: 'hint wide-text'},
			'What names of kernels and operators stand for, what operators must do, and what hardware can. ',
			'It comes with the program; what is added here stands before it, and holds for what is sent from then on.',
		),
		...parts,
	);
	return 'Catalogue';
}
