// importance.test.mjs - tests requests, addresses and override texts of the importance pages.

import assert from 'node:assert/strict';
import test from 'node:test';
import {parseOverrides, formatOverrides} from '../../web/pages/catalog.js';
import {splitMatch} from '../../web/pages/catalog.js';
import {setName} from '../../web/pages/catalog.js';
import {emptyAnswer, firstToOptimize, importanceParams, importanceUrl} from '../../web/pages/importance.js';
import {publishedText, shapesText} from '../../web/pages/importance_tables.js';

const query = (text) => new URLSearchParams(text);

// [case, address, parameters]
const PARAMS = [
	['nothing', '', {}],
	['the page\'s own parameters are not sent', 'tab=shapes&sort=s&q=norm&open=rms_norm&on=H20', {}],
	['names are sent unchanged', 'reference_set=a b&weight=mean&project=demo&phase=decode&dtype=bf16', {reference_set: 'a b', weight: 'mean', project: 'demo', phase: 'decode', dtype: 'bf16'}],
	['a day is its first second', 'since=2026-11-01&until=2026-11-02T03:04:05Z', {since: '2026-11-01T00:00:00Z', until: '2026-11-02T03:04:05Z'}],
	['each label has its own parameter', 'label=branch=main, gpu=h100', {'label.branch': 'main', 'label.gpu': 'h100'}],
	['empty parameters are left out', 'project=&label=', {}],
];
for (const [what, text, want] of PARAMS)
	test(`importanceParams: ${what}`, () => assert.deepEqual(importanceParams(query(text)), want));
test('importanceParams: a label without a value is an error', () =>
	assert.throws(() => importanceParams(query('label=nonsense')), {status: 400, message: 'label \'nonsense\' is not of the form key=value'}));

// [case, address, changes, new address]
const PAGES = [
	['a filter keeps the sort order and the open row', 'tab=shapes&sort=s&open=a', {project: 'demo'}, '/importance?tab=shapes&sort=s&open=a&project=demo'],
	['a reference set gets no parameter that it rejects', 'project=p&workload=w&framework=f&platform=H20&label=a=b&since=2026-11-01&until=2026-11-02&phase=decode&dtype=bf16',
		{reference_set: 'atrex'}, '/importance?phase=decode&dtype=bf16&reference_set=atrex'],
	['the same for a reference set that was already chosen', 'reference_set=atrex&project=p&weight=mean', {phase: 'both'}, '/importance?reference_set=atrex&phase=both'],
	['runs have no phase \'both\'', 'reference_set=atrex&phase=both&dtype=bf16', {reference_set: ''}, '/importance?dtype=bf16'],
	['runs have no published weight', 'weight=published', {project: 'p'}, '/importance?project=p'],
	['another set has other operators and weights', 'open=a&on=H20&weight=mean&sort=name', {reference_set: 'atrex'}, '/importance?sort=name&reference_set=atrex'],
	['back to the stored runs', 'reference_set=atrex&weight=published', {reference_set: ''}, '/importance'],
];
for (const [what, text, changes, where] of PAGES)
	test(`importanceUrl: ${what}`, () => assert.equal(importanceUrl(query(text), changes), where));

// [address, weight of the form]
const WEIGHED = [['reference_set=a&weight=mean', 'published'], ['weight=mean', 'mean'], ['weight=energy', 'energy'], ['weight=published', 'time'], ['', 'time']];
for (const [text, weight] of WEIGHED)
	test(`emptyAnswer: '${text}'`, () => assert.equal(emptyAnswer(query(text)).weight, weight));

// [case, {name, from, to}, text before, inside, after]; `from` and `to` count bytes
const PARTED = [
	['the given position, not the first equal text', {name: 'norm_x_norm', from: 7, to: 11}, ['norm_x_', 'norm', '']],
	['bytes, not letters', {name: '\ufeffé_norm_ü', from: 6, to: 10}, ['\ufeffé_', 'norm', '_ü']],
	['the whole', {name: 'é', from: 0, to: 2}, ['', 'é', '']],
	['nothing', {name: 'é', from: null, to: null}, ['é', '', '']],
];
for (const [what, row, parts] of PARTED)
	test(`splitMatch: ${what}`, () => assert.deepEqual(splitMatch(row), parts));

test('parseOverrides: a list is written with one object per line, and reads back', () => {
	const list = [{match: '^a"b', operator: 'x'}, {match: 'é'}];
	assert.equal(formatOverrides(list), '[\n\t{"match":"^a\\"b","operator":"x"},\n\t{"match":"é"}\n]');
	assert.deepEqual(parseOverrides(formatOverrides(list)), list);
	assert.equal(formatOverrides([]), '[]');
	assert.deepEqual(parseOverrides('  '), []);
});
for (const text of ['{}', '[1]', '[null]', '[[]]'])
	test(`parseOverrides: ${text} is rejected`, () => assert.throws(() => parseOverrides(text), {message: 'this is not a list of objects (use [ { … }, { … } ])'}));
test('parseOverrides: invalid JSON is rejected', () => assert.throws(() => parseOverrides('[{]'), /^Error: this is not JSON: /));

test('setName: the name of the file', () => assert.deepEqual(['a.b.json', 'a', '.json'].map(setName), ['a.b', 'a', '']));

const ids = (...list) => list.map((shape_id) => ({shape_id}));
// [case, state, rows, all, text]
const COUNTED = [
	['each shape has one row', {q: ''}, ids(1, 2), 2, '2 shapes'],
	['a shape has several rows', {q: ''}, ids(1, 1, 2), 3, '2 shapes in 3 rows, one per platform, dtype and phase'],
	['found', {q: 'bf16'}, ids(1, 1), 2, '1 shape with “bf16” in 2 rows, one per platform, dtype and phase'],
	['rows of a page', {q: '', next: 'c', count: 1254}, ids(1, 1), 2, '2 of 1,254 rows loaded'],
	['of a reference set, found here', {q: 'x'}, ids(1), 4, '1 of 4 shapes'],
];
for (const [what, state, list, all, text] of COUNTED)
	test(`shapesText: ${what}`, () => assert.equal(shapesText(state, list, all), text));

test('publishedText: the notation of published figures', () =>
	assert.deepEqual(['39.5 %', '27.18 µs', '3.43 ms', '–', null].map(publishedText), ['39.5%', '27.18 us', '3.43 ms', '–', null]));

test('what to optimize first: the largest headroom, but no collective and no unattributed time', () => {
	const row = (operator, headroom_hours, collective = false) => ({operator, headroom_hours, collective});
	const [a, b, c] = [row('a', 1), row('b', 3), row('c', 9, true)];
	assert.deepEqual(firstToOptimize([row(null, 20), a, b, row('d', null)]), {row: b, passed: false});
	assert.deepEqual(firstToOptimize([a, c]), {row: a, passed: true});
	assert.deepEqual(firstToOptimize([row('d', null), row('e', 0)]), {row: null, passed: false});
	assert.deepEqual(firstToOptimize([c]), {row: null, passed: true});
});
