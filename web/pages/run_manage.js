// run_manage.js - forms for admins that change and delete runs: one run on its page, the ticked runs
// on the list of runs.

import * as api from '../lib/api.js';
import {confirmButton, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {showDone, showFailure} from '../lib/notices.js';
import {changeOf, forEachRun, keysOf, labelsOf, mergedLabels, outcome, requestOf, undoOf} from '../lib/run_changes.js';
import {administers, currentSession} from '../lib/session.js';

const MAX_LENGTH = 200;
const MAX_KEY = 100;

const textInput = (value, placeholder) =>
	h('input', {type: 'text', autocomplete: 'off', maxlength: MAX_LENGTH, value, placeholder});

// The rows of a form for labels; values() throws an error if the rows are not labels.
function labelRows(legend, labels) {
	const rows = [];
	const place = h('div', {class: 'label-rows'});
	const add = h('button', {type: 'button', on: {click: () => addRow('', '').focus()}}, 'Add a label');

	function addRow(key, value) {
		const of = key ? ` of ${key}` : '';
		const name = h('input', {
			type: 'text',
			autocomplete: 'off',
			maxlength: MAX_KEY,
			value: key,
			placeholder: 'key',
			'aria-label': `Key${of}`,
		});
		const text = textInput(value, 'value');
		text.setAttribute('aria-label', `Value${of}`);
		const removed = () => {
			rows.splice(rows.indexOf(row), 1);
			row.node.remove();
			add.focus();
		};
		const remove = h(
			'button',
			{type: 'button', 'aria-label': key ? `Remove the label ${key}` : 'Remove this label', on: {click: removed}},
			'Remove',
		);
		const row = {name, text, node: h('div', {class: 'label-row'}, name, text, remove)};
		rows.push(row);
		place.append(row.node);
		return name;
	}

	for (const [key, value] of Object.entries(labels).sort()) addRow(key, value);
	return {
		node: h('fieldset', {class: 'label-rows'}, h('legend', {}, legend), place, add),
		values: () => labelsOf(rows.map(({name, text}) => [name.value, text.value])),
	};
}

const reload = (at) => at.go(location.pathname + location.search);

const change = async ({id, ...values}) => {
	await api.changeRun(id, requestOf(values));
	return {id, ...values};
};

// Shows what was changed, with a button that restores the values from before. A run that was
// changed in the meantime keeps its values, and the message names it.
function showChanges(result, at) {
	const undo = async () => {
		button.disabled = true;
		const undone = await forEachRun(undoOf(result.done), change);
		showDone(`Undo: ${outcome(undone, 'changed back')}`);
		reload(at);
	};
	const button = h('button', {type: 'button', on: {click: undo}}, 'Undo');
	showDone(outcome(result, 'changed'), result.done.length ? button : null);
}

// Below a form: what is wrong with it, and how far a change of many runs is.
function formState() {
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const progress = h('span', {class: 'quiet'});
	let busy = false;

	// Runs one action at a time. The message of an error is shown; another token may help with some.
	async function run(act, at) {
		if (busy) return;
		busy = true;
		wrong.textContent = '';
		try {
			await act();
		} catch (error) {
			if (error.status === 401 || error.status === 403) showFailure(error, () => run(act, at));
			else if (!at.signal.aborted) wrong.textContent = f.capital(error.message);
		}
		progress.textContent = '';
		busy = false;
	}

	return {wrong, progress, run};
}

function runForm(run, me, at) {
	const {wrong, progress, run: act} = formState();
	const name = textInput(run.name);
	const project = textInput(run.project);
	const workload = textInput(run.workload);
	const labels = labelRows('Labels', run.labels);

	// A name that the user did not touch stays as it is, with spaces at its ends.
	const typed = (input, was) => (input.value === was ? was : input.value.trim());

	const save = () =>
		act(async () => {
			const wanted = changeOf(run, {
				name: typed(name, run.name),
				project: typed(project, run.project),
				workload: typed(workload, run.workload),
				labels: labels.values(),
			});
			if (!wanted) throw new Error('nothing is changed');
			const done = await change(wanted);
			showChanges({done: [done], failed: [], unchanged: 0, left: 0}, at);
			await reload(at);
		}, at);

	const remove = () =>
		act(async () => {
			await api.deleteRun(run.id);
			showDone(`Run ${run.id} is deleted.`);
			await at.go('/runs');
		}, at);

	const erase = confirmButton('Delete this run', `Delete run ${run.id} for good`, 'Delete this run', remove);
	erase.classList.add('danger');
	return h(
		'form',
		{
			class: 'part',
			'aria-label': 'Manage this run',
			on: {
				submit: (e) => {
					e.preventDefault();
					save();
				},
			},
		},
		h(
			'div',
			{class: 'bar'},
			field('Name of the run', name),
			me.project === null ? field('Project of the run', project) : null,
			field('Workload of the run', workload),
		),
		labels.node,
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Save'), erase, progress),
		wrong,
		h('p', {class: 'hint'}, 'A saved change can be undone. A deleted run cannot be restored.'),
	);
}

// The form for many runs; ids() returns the ticked ones. deleted(ids) is called after a deletion.
function manyForm(ids, me, at, deleted) {
	const {wrong, progress, run: act} = formState();
	const project = textInput('', 'unchanged');
	const workload = textInput('', 'unchanged');
	const added = labelRows('Labels to add or replace', {});
	const removed = h('input', {type: 'text', autocomplete: 'off', placeholder: 'key, key'});
	const number = h('input', {type: 'text', inputmode: 'numeric', autocomplete: 'off'});

	const follow = (total) => ({
		signal: at.signal,
		onProgress: (n) => {
			progress.textContent = `${f.count(n)} of ${f.plural(total, 'run')}`;
		},
	});

	async function changeOne(id, values, labels, keys) {
		const run = await api.run(id, at.signal);
		const merged = mergedLabels(run.labels, labels, keys);
		const wanted = changeOf(run, {...values, labels: merged});
		return wanted && change(wanted);
	}

	const save = () =>
		act(async () => {
			const list = ids();
			const values = {};
			if (project.value.trim()) values.project = project.value.trim();
			if (workload.value.trim()) values.workload = workload.value.trim();
			const labels = added.values();
			const keys = keysOf(removed.value);
			if (!Object.keys({...values, ...labels}).length && !keys.length)
				throw new Error('enter a project, a workload or labels');
			showChanges(await forEachRun(list, (id) => changeOne(id, values, labels, keys), follow(list.length)), at);
			if (!at.signal.aborted) await reload(at);
		}, at);

	const remove = () =>
		act(async () => {
			const list = ids();
			if (number.value.trim() !== String(list.length))
				throw new Error(`to delete ${f.plural(list.length, 'run')}, enter ${list.length}`);
			const erase = async (id) => {
				await api.deleteRun(id);
				return id;
			};
			const result = await forEachRun(list, erase, follow(list.length));
			showDone(outcome(result, 'deleted'));
			if (!at.signal.aborted) await deleted(result.done);
		}, at);

	return h(
		'form',
		{
			class: 'part',
			'aria-label': 'Manage the ticked runs',
			on: {
				submit: (e) => {
					e.preventDefault();
					save();
				},
			},
		},
		h(
			'div',
			{class: 'bar'},
			me.project === null ? field('Move to project', project) : null,
			field('Move to workload', workload),
			field('Labels to remove', removed, 'keys, separated by commas'),
		),
		added.node,
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Change the ticked runs'), progress),
		h(
			'div',
			{class: 'bar'},
			field('Number of ticked runs', number, 'to confirm that they are deleted'),
			h(
				'div',
				{class: 'actions'},
				h('button', {type: 'button', class: 'danger', on: {click: remove}}, 'Delete the ticked runs'),
			),
		),
		wrong,
		h('p', {class: 'hint'}, 'A change can be undone. Deleted runs cannot be restored.'),
	);
}

const drawer = (title, form) => h('details', {class: 'manage'}, h('summary', {}, title), form);

// Fills the place as soon as the session is known; who may not change runs sees nothing. The page
// itself does not wait for the session, and does not fail without it.
function forAdmins(project, at, fill) {
	const place = h('div', {class: 'manage-place'});
	currentSession(at.signal).then(
		(me) => administers(me, project) && fill(place, me),
		() => {},
	);
	return place;
}

// Part of a run's page.
export function runManager(run, at) {
	return forAdmins(run.project, at, (place, me) => place.append(drawer('Manage this run', runForm(run, me, at))));
}

// Part of the list of runs. tick(ids) is called whenever the ticked runs change; deleted(ids) must
// show the list again.
export function ticksManager(at, deleted) {
	let ids = [];
	let summary = null;

	function draw(place) {
		place.hidden = !ids.length;
		if (summary) summary.textContent = `Manage ${f.plural(ids.length, 'ticked run')}`;
	}

	const place = forAdmins(undefined, at, (inside, me) => {
		const part = drawer('', manyForm(() => ids, me, at, deleted));
		summary = part.querySelector('summary');
		inside.append(part);
		draw(inside);
	});
	return {
		node: place,
		tick(next) {
			ids = next;
			draw(place);
		},
	};
}
