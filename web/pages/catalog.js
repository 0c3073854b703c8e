// catalog.js - the catalog: operators, naming rules with a test, platforms, unattributed
// kernels and reference sets. An installation can add site overrides.

import * as api from '../lib/api.js';
import {confirmButton, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {moreButton} from '../lib/list_pages.js';
import {listing} from '../lib/listing.js';
import {announce, showFailure} from '../lib/notices.js';
import {kernelColumns} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {tokenForm} from '../lib/session.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';

// The site overrides as text that is edited and saved as a whole; errors are shown next to it.

// A list of JSON objects, one per line; throws an error for anything else.
export function parseOverrides(text) {
	let list;
	try {
		list = JSON.parse(text.trim() || '[]');
	} catch (error) {
		throw new Error(`this is not JSON: ${error.message}`);
	}
	if (!Array.isArray(list) || list.some((item) => item === null || typeof item !== 'object' || Array.isArray(item)))
		throw new Error('this is not a list of objects (use [ { … }, { … } ])');
	return list;
}

export const formatOverrides = (list) =>
	list.length ? `[\n${list.map((item) => `\t${JSON.stringify(item)}`).join(',\n')}\n]` : '[]';

// The editor for one kind of entry ('rules', …). It edits the document `doc`. A button inserts
// `example`; saved(doc) gets the new document.
function overridesEditor(kind, doc, example, saved, refresh) {
	let {version} = doc;
	const area = h('textarea', {
		class: 'overrides',
		spellcheck: 'false',
		'aria-label': `Site overrides: ${kind}, a JSON list`,
		rows: Math.min(24, 4 + (doc.site_overrides ?? []).length),
	});
	const errorPlace = h('div', {class: 'refused', role: 'alert'});
	const status = h('span', {class: 'quiet', role: 'status'});
	const counted = h('span', {}, f.plural((doc.site_overrides ?? []).length, 'site override'));
	area.value = formatOverrides(doc.site_overrides ?? []);

	function showError(error) {
		errorPlace.replaceChildren(
			h('p', {class: 'sentence'}, h('strong', {}, 'Not saved: '), error.message),
			error.status === 401 || error.status === 403 ? tokenForm(save, 'token-own') : '',
			error.status === 409 ? h('button', {type: 'button', on: {click: reload}}, 'Load the saved version') : '',
		);
		status.textContent = '';
	}

	function show(next, sentence) {
		({version} = next);
		area.value = formatOverrides(next.site_overrides ?? []);
		counted.textContent = f.plural((next.site_overrides ?? []).length, 'site override');
		status.textContent = sentence;
		errorPlace.replaceChildren();
		saved(next);
	}

	async function reload() {
		try {
			show(await refresh(), 'The saved version is shown.');
		} catch (error) {
			showError(error);
		}
	}

	async function save() {
		errorPlace.replaceChildren();
		status.textContent = 'Saving…';
		try {
			const answer = await api.replaceCatalog(kind, version, parseOverrides(area.value));
			show(await refresh(), `Saved as version ${answer.version}. ${answer.message ?? ''}`);
			announce(`site overrides of ${kind} saved`);
		} catch (error) {
			showError(error);
		}
	}

	function add() {
		let list;
		try {
			list = parseOverrides(area.value);
		} catch (error) {
			showError(error);
			return;
		}
		area.value = formatOverrides([...list, example]);
		area.focus();
	}

	return {
		draft: () => parseOverrides(area.value),
		node: h(
			'details',
			{class: 'editor formats', open: (doc.site_overrides ?? []).length > 0},
			h('summary', {}, 'Edit site overrides: ', counted),
			area,
			h(
				'div',
				{class: 'line'},
				h('button', {type: 'button', class: 'main', on: {click: save}}, 'Save'),
				h('button', {type: 'button', on: {click: add}}, 'Add an example'),
				h('span', {class: 'hint'}, 'Saving requires an admin token.'),
				status,
			),
			errorPlace,
		),
	};
}

// Tabs: operators; platforms with their peaks and the source of their figures.

const overrideMark = (r) => (r.site_override ? h('span', {class: 'mark'}, 'site override') : null);

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
		label: 'Description',
		class: 'wide',
		cell: (r) =>
			[
				r.description || f.NONE,
				r.specific === false ? h('span', {class: 'quiet'}, ' (not specific)') : null,
				r.collective ? h('span', {class: 'quiet'}, ' (waits for other ranks)') : null,
			].filter(Boolean),
	},
	{label: 'Shape', class: 'wide', cell: (r) => (r.sizes?.length ? h('code', {}, r.sizes.join(' ')) : f.NONE)},
];
const OPERATOR = {
	name: 'my_norm',
	description: 'normalizes rows with a site-specific kernel',
	group: 'norm',
	sizes: ['tokens', 'hidden'],
};

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
// The SM clocks that the peaks assume, each with its dtypes if there are several.
function peakClocks(r) {
	const clocks = Object.entries(r.peak_clock_mhz ?? {});
	const each = [...new Set(clocks.map(([, mhz]) => mhz))];
	const missing = Object.keys(r.peak_flops ?? {}).length > clocks.length;
	const line = (mhz) => {
		const dtypes = clocks.filter(([, of]) => of === mhz).map(([dtype]) => dtype);
		return each.length > 1 || missing ? `${f.count(mhz)} (${dtypes.join(', ')})` : f.count(mhz);
	};
	return each.length ? h('ul', {class: 'peaks'}, each.map((mhz) => h('li', {}, line(mhz)))) : f.NONE;
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
	{
		label: 'Link',
		num: true,
		down: 'link',
		up: '-link',
		value: (r) => r.link_bytes_per_s ?? null,
		cell: (r) => o.amount(r.link_bytes_per_s ?? null, 'B/s'),
		title: (r) => `to all other devices of a node together, in one direction. ${r.link_source ?? ''}`,
	},
	{
		label: 'Network',
		num: true,
		down: 'network',
		up: '-network',
		value: (r) => r.network_bytes_per_s ?? null,
		cell: (r) => o.amount(r.network_bytes_per_s ?? null, 'B/s'),
		title: (r) => `of one device to other nodes, in one direction. ${r.link_source ?? ''}`,
	},
	{label: 'Peaks', cell: peaks},
	{label: 'Peak clock', unit: 'MHz', cell: peakClocks, title: (r) => r.peak_clock_source ?? 'unknown'},
	{
		label: 'Launch floor',
		unit: 'µs',
		num: true,
		down: 'floor',
		up: '-floor',
		value: (r) => r.launch_floor_ns ?? null,
		cell: (r) => f.inUnit(r.launch_floor_ns, 'µs', 1),
		title: () => 'shorter kernels have no headroom: their time is mostly launch overhead',
	},
	{label: 'Source', class: 'wide', cell: (r) => r.source || f.NONE},
];
const PLATFORM = {
	name: 'MyGPU',
	vendor: 'NVIDIA',
	source: 'measured here',
	devices: ['MyGPU 80GB'],
	peak_flops: {bf16: 1e14, fp32: 5e13},
	peak_clock_mhz: 1700,
	peak_clock_source: 'measured here',
	bytes_per_s: 2e12,
	launch_floor_ns: 3000,
};

// A list of the catalog with its search and the editor of its site overrides.
async function list(kind, {caption, columns, example, text, hint}, query, at) {
	const refresh = () => api.catalog(kind, at.signal);
	const place = h('div');
	let shown;
	const rowName = kind.slice(0, -1);

	function build(doc, q) {
		shown = listing({
			caption,
			columns,
			rows: doc.items,
			query: q,
			defaultSort: '',
			rowName,
			text,
			at,
			empty: `No ${kind}.`,
		});
		place.replaceChildren(shown.node);
	}

	const doc = await refresh();
	build(doc, query);
	const editor = overridesEditor(
		kind,
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
			caption: 'Operators of the catalog',
			columns: OPERATORS,
			example: OPERATOR,
			text: (r) => [r.name, r.group, r.description].join(' '),
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
			hint:
				'Peaks are dense, without sparsity. ' +
				'If a platform has no peak for a dtype, the roofline bound is unknown.',
		},
		query,
		at,
	);

// Tab: naming rules, with site overrides first. A test shows which rule matches a name, also with
// rules that are not saved yet.

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
		title: (r) => (r.operator ? null : 'gives a family, but no operator'),
	},
];

// The name before, inside and after the match; the server returns positions in bytes of UTF-8.
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
	{label: 'Reason', class: 'wide reason', cell: (r) => [r.reason, ' ', overrideMark(r)].filter(Boolean)},
];

// draft() returns the rules in their current state in the editor.
function ruleTest(query, draft, at) {
	const area = h('textarea', {rows: 3, spellcheck: 'false', id: 'names'});
	const drafts = h('input', {type: 'checkbox'});
	const place = h('div', {'aria-live': 'polite'});
	area.value = query.get('test') ?? '';

	async function runTest(e) {
		e?.preventDefault();
		const names = area.value
			.split('\n')
			.map((name) => name.trim())
			.filter(Boolean);
		at.keep({test: names.join('\n')});
		if (!names.length) {
			place.replaceChildren(h('p', {class: 'quiet'}, 'Enter kernel names, one per line.'));
			return;
		}
		try {
			const {items} = await api.testRules({names, ...(drafts.checked ? {rules: draft()} : {})}, at.signal);
			place.replaceChildren(table({caption: 'Tested names', columns: TEST_COLUMNS, rows: items}).node);
		} catch (error) {
			if (!at.signal.aborted) place.replaceChildren(h('p', {class: 'sentence'}, error.message));
		}
	}

	if (area.value) setTimeout(() => at.signal.aborted || runTest());
	return {
		names: () => area.value.trim(),
		node: h(
			'section',
			{'aria-labelledby': 'rule-test', class: 'rule-test'},
			h('h2', {id: 'rule-test'}, 'Test naming rules'),
			h(
				'form',
				{on: {submit: runTest}},
				h('div', {class: 'field'}, h('label', {for: 'names'}, 'Kernel names, one per line'), area),
				h(
					'div',
					{class: 'line'},
					h('button', {type: 'submit', class: 'main'}, 'Test'),
					h('label', {class: 'check'}, drafts, 'use the rules as edited above'),
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
			caption: 'Naming rules',
			columns: RULE_COLUMNS,
			rows: next.items,
			query: q,
			defaultSort: '',
			rowName: 'rule',
			at,
			text: (r) => [r.match, r.family, r.operator].join(' '),
			empty: 'No naming rules.',
			keep: () => ({test: ruleTester.names()}),
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
	const ruleTester = ruleTest(query, editor.draft, at);
	build(doc, query);
	return {
		save: () => shown.save(),
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint'},
				'Patterns are PCRE2 regular expressions over the demangled name. The first match decides. ' +
					'Site overrides are tried before the built-in rules.',
			),
			editor.node,
			ruleTester.node,
			h('h2', {}, 'Naming rules in order'),
			place,
		),
	};
}

// Tab: reference sets, published operator figures: import, list, delete.

const setColumns = (drop) => [
	{
		label: 'Reference set',
		head: true,
		cell: (r) => h('a', {href: `/importance?${new URLSearchParams({reference_set: r.name})}`}, r.name),
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
	{label: 'Remove', cell: (r) => confirmButton('Remove', 'Confirm removal', `Remove ${r.name}`, () => drop(r))},
];

// "operators.json" -> "operators"
export const setName = (file) => file.replace(/\.[^.]*$/, '');

function importer(done) {
	const name = h('input', {type: 'text', autocomplete: 'off', placeholder: 'file name'});
	const status = h('p', {role: 'status', class: 'quiet'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const input = h('input', {
		type: 'file',
		accept: '.json,application/json',
		hidden: true,
		id: 'set-file',
		on: {
			change: () => {
				importFile(input.files[0]);
				input.value = '';
			},
		},
	});

	async function importFile(file) {
		if (!file) return;
		const setTitle = name.value.trim() || setName(file.name);
		wrong.textContent = '';
		status.textContent = `Importing ${file.name}…`;
		try {
			const {existing} = await api.saveReferenceSet(setTitle, file);
			status.textContent = existing ? `${setTitle} already exists.` : `${setTitle} is imported.`;
			await done();
		} catch (error) {
			status.textContent = '';
			wrong.textContent = `${file.name}: ${error.message}`;
			if (error.status === 401 || error.status === 403) showFailure(error, () => importFile(file));
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
					importFile(e.dataTransfer.files[0]);
				},
			},
		},
		input,
		h('button', {type: 'button', class: 'main', on: {click: () => input.click()}}, 'Choose a file'),
		h('p', {}, 'or drop it here.'),
		h(
			'p',
			{class: 'hint'},
			'A JSON file of production operators in the format of Atrex-Bench: ' +
				'platforms, operators, shapes and figures.',
		),
	);
	return h(
		'section',
		{'aria-label': 'Import a reference set', class: 'sender'},
		h('div', {class: 'bar'}, field('Name of the reference set', name)),
		zone,
		status,
		wrong,
	);
}

async function referenceSetsTab(query, at) {
	const place = h('div');

	async function draw() {
		const {items} = await api.referenceSets(at.signal);
		place.replaceChildren(
			table({
				caption: 'Reference sets',
				columns: setColumns(drop),
				rows: items,
				empty: 'No reference set is imported yet.',
			}).node,
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
	return {node: h('div', {class: 'part'}, importer(draw), h('h2', {}, 'Imported reference sets'), place)};
}

// Tab: unattributed kernels of all runs, most GPU time first.

const PAGE = 1000;

async function unattributedTab(query, at) {
	let {items, next} = await api.unattributed({limit: PAGE}, at.signal);
	const shown = listing({
		caption: 'Unattributed kernels',
		columns: kernelColumns(items),
		rows: items,
		query,
		defaultSort: 'total',
		rowName: 'kernel',
		at,
		text: (r) => r.name,
		empty: 'All kernels have an operator.',
	});
	const more = async () => {
		const page = await api.unattributed({limit: PAGE, cursor: next}, at.signal);
		({next} = page);
		items = [...items, ...page.items];
		shown.update(items);
		return next !== null;
	};
	return {
		save: shown.save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint'},
				'Kernels of all runs that no annotation, host operator or naming rule identifies. ',
				'A naming rule for the first kernels has the most effect. ',
				next === null ? '' : 'Those with the most GPU time are loaded first; search and order are of the loaded ones.',
			),
			shown.node,
			next === null ? '' : moreButton('kernels', more, at.signal),
		),
	};
}

const PARTS = [
	['operators', 'Operators', operatorsTab],
	['rules', 'Naming rules', rulesTab],
	['platforms', 'Platforms', platformsTab],
	['unattributed', 'Unattributed', unattributedTab],
	['reference-sets', 'Reference sets', referenceSetsTab],
];

function clear(at, tab) {
	const removed = [...new URLSearchParams(location.search).keys()].map((key) => [key, '']);
	at.keep({...Object.fromEntries(removed), tab: tab === PARTS[0][0] ? '' : tab});
}

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const parts = await tabs({
		label: 'Parts of the catalog',
		chosen,
		leave: (tab) => clear(at, tab),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({
			id,
			label,
			href: id === PARTS[0][0] ? '/catalog' : `/catalog?tab=${id}`,
			load: () => load(id === chosen ? query : new URLSearchParams(), at),
		})),
	});
	view.append(
		h('h1', {}, 'Catalog'),
		h(
			'p',
			{class: 'hint wide-text'},
			'Naming rules that map kernel names to operators, the operators with their cost models, ',
			'and the platforms with their peaks. ',
			'Site overrides take precedence over the built-in catalog and apply to uploads from then on.',
		),
		...parts,
	);
	return 'Catalog';
}
