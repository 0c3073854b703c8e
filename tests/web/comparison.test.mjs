// comparison.test.mjs - tests the sides in an address, the shown classes, and ticked runs.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as c from '../../web/lib/comparison.js';
import {toggleRun} from '../../web/lib/run_picker.js';
import {headline, titleOf} from '../../web/lib/comparison.js';

const SIDES = [
	['nothing', null, []],
	['one', '7', ['7']],
	['spaces, an empty part, one twice', ' 1, 2,,1 ', ['1', '2']],
	['a job among runs', '1,job:3', ['1', 'job:3']],
	['a query with commas and spaces', 'label.a="1,2" last=3', ['label.a="1,2" last=3']],
	['the shortest query', 'latest', ['latest']],
];
for (const [what, text, list] of SIDES)
	test(`parseSide: ${what}`, () => assert.deepEqual(c.parseSide(text), list));

test('compareParams: the page\'s own parameters are not sent', () => assert.deepEqual(
	c.compareParams(new URLSearchParams('base=1&head=2&noise_floor=0.05&seed=&q=gemm&show=regressed&sort=delta&function=f&score=published')),
	{base: '1', head: '2', noise_floor: '0.05'}));

const PAGES = [
	['nothing', {}, '/compare'],
	['commas and colons stay readable', {base: '1,2', head: 'job:3'}, '/compare?base=1,2&head=job:3'],
	['empty ones are left out', {base: '1', head: '', noise_floor: null, range: undefined}, '/compare?base=1'],
	['reserved characters are escaped', {base: '1', range: 'a&b #'}, '/compare?base=1&range=a%26b+%23'],
];
for (const [what, words, address] of PAGES)
	test(`compareUrl: ${what}`, () => assert.equal(c.compareUrl(words), address));

const compared = ({iteration = null, compute = null, detectors = ['period', 'period'], comparable = true, ...counts}) => ({
	comparable,
	base: {detector: detectors[0]},
	head: {detector: detectors[1]},
	split: [{part: 'iteration', verdict: iteration}, {part: 'compute', verdict: compute}],
	counts: {regressed: 0, appeared: 0, improved: 0, vanished: 0, ...counts},
});
// As the mark of the Markdown, view_compare_mark().
const OUTCOMES = [
	['not comparable, whatever the numbers', {comparable: false, iteration: 'regressed', regressed: 3}, 'incomparable'],
	['the iteration decides, not a function', {iteration: 'improved', regressed: 1}, 'improved'],
	['likely', {iteration: 'likely'}, 'likely'],
	['undecided, but a function changed', {iteration: 'undecided', improved: 1}, 'undecided'],
	['undecided, and nothing else', {iteration: 'undecided'}, 'unchanged'],
	['unchanged, but a function is new', {iteration: 'unchanged', appeared: 1}, 'regressed'],
	['unchanged, but a function is gone', {iteration: 'unchanged', vanished: 1}, 'improved'],
	['the iteration is not judged, and a function is new: undecided', {compute: 'improved', appeared: 1}, 'undecided'],
	['the iteration is not judged, and nothing changed', {compute: 'improved'}, 'unchanged'],
	['windows: the compute part decides', {iteration: 'regressed', compute: 'improved', detectors: ['window', 'window']}, 'improved'],
	['a window on one side: the iteration decides', {iteration: 'regressed', compute: 'improved', detectors: ['window', 'period']}, 'regressed'],
];
for (const [what, doc, outcome] of OUTCOMES) test(`outcomeOf: ${what}`, () => assert.equal(c.outcomeOf(compared(doc)), outcome));

test('fewRunsText: four runs on both sides are enough', () => assert.deepEqual(
	[[4, 4], [4, 3], [5, 1]].map(([base, head]) => c.fewRunsText({base: {units: base}, head: {units: head}})?.match(/\(.*\)/)[0] ?? null),
	[null, '(base 4, head 3)', '(base 5, head 1)']));

const ALL = Object.keys(c.CLASSES);
const USUAL = ALL.filter((word) => word !== 'unchanged');
const SHOWN = [
	['nothing in the address: all but the unchanged', null, USUAL, ''],
	['unknown words', 'slower,faster', USUAL, ''],
	['some', 'likely,regressed', ['regressed', 'likely'], 'regressed,likely'],
	['all', ALL.join(','), ALL, ALL.join(',')],
	['as many as usual, but others', ALL.slice(1).join(','), ALL.slice(1), ALL.slice(1).join(',')],
];
for (const [what, text, list, word] of SHOWN)
	test(`shownClasses: ${what}`, () => {
		const shown = c.shownClasses(text);
		assert.deepEqual(ALL.filter((w) => shown.has(w)), list);
		assert.equal(c.classesParam(shown), word);
	});

test('classesParam: no class at all is not the default', () => {
	assert.equal(c.classesParam(new Set()), 'none');
	assert.deepEqual([...c.shownClasses('none')], []);
});

test('baseHeadText: one number if both are nearly equal', () => {
	const text = (n) => (n === null ? '–' : n.toFixed(1));
	assert.equal(c.baseHeadText(1.01, 0.99, text), '1.0');
	assert.equal(c.baseHeadText(1, 2, text), '1.0 → 2.0');
	assert.equal(c.baseHeadText(null, 2, text), '– → 2.0');
});

const TICKS = [
	['the first', {base: [], head: []}, ['base', 5, true], {base: ['5'], head: []}],
	['a second one on the same side', {base: ['5'], head: []}, ['base', 6, true], {base: ['5', '6'], head: []}],
	['a run that is on the other side moves over', {base: ['5', '6'], head: ['7']}, ['head', 5, true], {base: ['6'], head: ['7', '5']}],
	['off', {base: ['5'], head: ['7']}, ['head', '7', false], {base: ['5'], head: []}],
	['a second tick adds nothing', {base: ['5'], head: []}, ['base', '5', true], {base: ['5'], head: []}],
	['a job stays', {base: ['job:5'], head: []}, ['head', 5, true], {base: ['job:5'], head: ['5']}],
];
for (const [what, sides, how, after] of TICKS)
	test(`toggleRun: ${what}`, () => assert.deepEqual(toggleRun(sides, ...how), after));

test('titleOf: runs, jobs, and the first of many', () => {
	assert.equal(titleOf({base: ['1', '2'], head: ['job:3']}), '#1, #2 with job 3');
	assert.equal(titleOf({base: ['label.branch=main last=5'], head: ['latest']}), 'label.branch=main last=5 with latest');
	assert.equal(titleOf({base: ['1', '2', '3', '4', '5', '6', '7', '8'], head: ['9']}), '#1, #2, #3, #4, #5, #6 and 2 more with #9');
});

test('intervalTitle: to the nanosecond, or unknown', () => {
	assert.equal(c.intervalTitle({shift_ns_per_iteration: -1500.25, low_ns_per_iteration: -2000, high_ns_per_iteration: 10}),
		'Hodges–Lehmann shift −1,500.3 ns, 95 % interval −2,000 ns to 10 ns');
	assert.equal(c.intervalTitle({low_ns_per_iteration: null}), 'unknown');
});

// [case, headline, functions, shown text]
const HEADLINES = [
	['a sentence', 'nothing changed', ['nothing_kernel'], 'Nothing changed'],
	['a function first', 'void f<4>(int) on GPU 0 takes longer', ['g', 'void f<4>(int)'], 'void f<4>(int) on GPU 0 takes longer'],
	['a function that a word begins with', 'nothing changed', ['no'], 'Nothing changed'],
	['a function without parentheses', 'flash_fwd_kernel takes longer', [], 'flash_fwd_kernel takes longer'],
	['an operator', 'gemm takes longer', [], 'gemm takes longer'],
	['a word with a hyphen', 're-run it', [], 'Re-run it'],
	['no function at all', 'run 1: there is no GPU time', [], 'Run 1: there is no GPU time'],
];
for (const [what, text, names, shown] of HEADLINES)
	test(`headline: ${what}`, () => assert.equal(
		headline({headline: text, items: names.map((name) => ({function: name, short_name: ''})), operators: [{operator: 'gemm'}]}), shown));
