// finding.test.mjs - tests the groups of a search answer, the row to move to, the labels of the
// list of runs.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import {foundGroups, foundSentence} from '../../web/finding/found.js';
import {foldedSummary} from '../../web/lib/findings.js';
import {meaningOf, terms} from '../../web/finding/glossary.js';
import {KEYS, nextRow} from '../../web/finding/keys.js';
import {meanOf, runGroups} from '../../web/lib/run_groups.js';
import {wordsBetween} from '../../web/lib/run_picker.js';

const none = {
	runs: [], jobs: [], workloads: [], commits: [], kernels: [], operators: [],
	runs_total: 0, runs_more: false, jobs_total: 0, workloads_total: 0, commits_total: 0, kernels_total: 0, kernels_more: false, operators_total: 0,
};
const run = {id: 7, name: '<b>x</b>', project: 'p', workload: '', commit: 'c0ffee', host: 'node1'};
const kernel = {kernel: 9, name: 'void f<int>(int*)', distinct_name: 'f', run: 7, project: '', workload: 'w'};

// [case, answer, groups as [heading, count, [name, line, address] of the first match], sentence]
const ANSWERS = [
	['nothing', {}, [], 'Nothing matches.'],
	['a run', {runs: [run], runs_total: 1}, [['Runs', '1', ['<b>x</b>', '#7 · p · commit c0ffee · node1', '/runs/7']]], '1 run.'],
	['a run without a name, of many', {runs: [{...run, name: '', project: '', commit: null, host: null}], runs_total: 1234},
		[['Runs', '1 of 1,234', ['run 7', '#7', '/runs/7']]], '1,234 runs.'],
	['a job of an upload without a name', {jobs: [{id: 3, name: null, upload: 5, project: ''}], jobs_total: 1},
		[['Jobs', '1', ['ranks of upload 5', '#3', '/jobs/3']]], '1 job.'],
	['a workload whose name has signs of an address', {workloads: [{project: 'a&b', workload: 'x=1?', runs: 2}], workloads_total: 1},
		[['Workloads', '1', ['a&b / x=1?', '2 runs', '/trends?project=a%26b&workload=x%3D1%3F']]], '1 workload.'],
	['runs without project and workload', {workloads: [{project: '', workload: '', runs: 1}], workloads_total: 1},
		[['Workloads', '1', ['runs without project and workload', '1 run', '/trends?project=&workload=']]], '1 workload.'],
	['a commit', {commits: [{commit: 'c0ffee', project: 'p', runs: 3}], commits_total: 1},
		[['Commits', '1', ['c0ffee', 'p · 3 runs', '/runs?project=p&label=commit%3Dc0ffee']]], '1 commit.'],
	['more runs than were counted', {runs: [{...run, name: 'f'}], runs_total: 10000, runs_more: true},
		[['Runs', '1 of more than 10,000', ['f', '#7 · p · commit c0ffee · node1', '/runs/7']]], 'more than 10,000 runs.'],
	['more kernels than were counted', {kernels: [kernel], kernels_total: 200, kernels_more: true},
		[['Kernels', '1 of more than 200', ['f', 'newest in run 7 · w · void f<int>(int*)', '/runs/7?tab=kernels&kernel=9']]], 'more than 200 kernels.'],
	['a kernel whose name is short, and an operator', {kernels: [{...kernel, name: 'f'}], kernels_total: 1, operators: [{operator: 'softmax', description: null}], operators_total: 1},
		[['Kernels', '1', ['f', 'newest in run 7 · w', '/runs/7?tab=kernels&kernel=9']], ['Operators', '1', ['softmax', '', '/importance?open=softmax']]],
		'1 kernel, 1 operator.'],
];
for (const [what, answer, groups, sentence] of ANSWERS)
	test(`found: ${what}`, () => {
		const doc = {...none, ...answer};
		assert.deepEqual(foundGroups(doc).map((g) => [g.name, g.count, [g.items[0].name, g.items[0].about, g.items[0].href]]), groups);
		assert.equal(foundSentence(doc), sentence);
	});

// [case, row, rows, step, row to move to]
const MOVES = [
	['down from nowhere', -1, 3, 1, 0],
	['up from nowhere', -1, 3, -1, 2],
	['down', 0, 3, 1, 1],
	['down from the last row', 2, 3, 1, null],
	['up from the first row', 0, 3, -1, null],
	['no rows', -1, 0, 1, null],
	['no rows, up', -1, 0, -1, null],
];
for (const [what, at, n, step, to] of MOVES) test(`move: ${what}`, () => assert.equal(nextRow(at, n, step), to));

test('each key is listed once', () => assert.equal(new Set(KEYS.map(([key]) => key)).size, KEYS.length));

const runs = [
	{id: 4, git_commit: 'b', job_id: 2, job: 'train', busy_ns: 10, span_ns: 40},
	{id: 3, git_commit: null, job_id: 2, job: 'train', busy_ns: 30, span_ns: null},
	{id: 2, git_commit: 'a', job_id: 9, job: '', busy_ns: null, span_ns: null},
	{id: 1, git_commit: 'b', job_id: null, job: '', busy_ns: 20, span_ns: 60},
];
// [grouping, groups as [name, ids, mean busy, mean span]]
const GROUPS = [
	['commit', [['b', [4, 1], 15, 50], ['no commit', [3], 30, null], ['a', [2], null, null]]],
	['job', [['train', [4, 3], 20, 40], ['job 9', [2], null, null], ['no job', [1], 20, 60]]],
];
for (const [by, groups] of GROUPS)
	test(`groups by ${by}, in the order of their first runs`, () =>
		assert.deepEqual(runGroups(runs, by).map((g) => [g.name, g.runs.map((r) => r.id), g.busy_ns, g.span_ns]), groups));
test('no runs are no groups', () => assert.deepEqual(runGroups([], 'job'), []));
test('the mean of nothing is unknown, and 0 is a value', () => assert.deepEqual([meanOf([]), meanOf([null]), meanOf([0, 4])], [null, null, 2]));

// [case, from, to, words]
const RANGES = [
	['down', 'a', 'c', ['a', 'b', 'c']],
	['up', 'd', 'b', ['b', 'c', 'd']],
	['the same', 'b', 'b', ['b']],
	['the first is not in the list any more', 'z', 'c', ['c']],
];
for (const [what, from, to, want] of RANGES) test(`range: ${what}`, () => assert.deepEqual(wordsBetween(['a', 'b', 'c', 'd'], from, to), want));

// [case, severities, summary]
const FOLDS = [
	['the worst is not the first', ['info', 'warn', 'info'], ['warn', 'Warning', '3 findings']],
	['one', ['info'], ['info', 'Info', '1 finding']],
	['an error', ['loss', 'error'], ['error', 'Error', '2 findings']],
];
for (const [what, list, want] of FOLDS) test(`fold: ${what}`, () => assert.deepEqual(foldedSummary(list.map((severity) => ({severity}))), want));

// The labels of columns, from the text of the modules: objects with `label` and `cell`, and calls
// of functions that make columns. Columns of buttons explain themselves.
const BUTTONS = ['Remove', 'Revoke', 'Test', 'Rule'];
const MAKERS = /\b(?:timeColumn|textColumn|countColumn|sideColumn|byNumber|graphNumber|whole|number|time|text|figure)\('([^']+)'/g;
function columnLabels(source) {
	const labels = [];
	for (const found of source.matchAll(/\blabel: '([^']+)'/g)) {
		const rest = source.slice(found.index + found[0].length).slice(0, 500).split('label:')[0];
		if (/\bcell\b/.test(rest)) labels.push(found[1]);
	}
	const makers = /\bcell\b/.test(source) ? [...source.matchAll(MAKERS)].map((found) => found[1]) : [];
	return [...labels, ...makers.filter((label) => /^[\p{Lu}μβσΔ]/u.test(label))];
}

test('each column of each table is in the glossary', () => {
	const web = new URL('../../web/', import.meta.url);
	const missing = new Map();
	let columns = 0;
	for (const folder of ['chart/', 'finding/', 'lib/', 'pages/'])
		for (const name of fs.readdirSync(new URL(folder, web)).filter((file) => file.endsWith('.js')))
			for (const label of columnLabels(fs.readFileSync(new URL(folder + name, web), 'utf8'))) {
				columns++;
				if (!meaningOf(label) && !BUTTONS.includes(label)) missing.set(label, name);
			}
	assert.ok(columns > 200, `only ${columns} columns were found`);
	assert.equal([...missing].map((pair) => pair.join(" in ")).join("; "), "");
});

// The letters and words of tests, which the test above does not find: they are no words with a capital.
for (const term of ['β', 'p', 'q', 'p family', 'p of this row', 'p, one-sided', 'S', 'Family', 'Alpha', 'Noise floor', 'Margin'])
	test(`the glossary has ${term}`, () => assert.ok(meaningOf(term)));

test('each term has one address, a meaning that is a sentence, and a section of the help page', () => {
	const list = terms();
	const help = fs.readFileSync(new URL('../../web/pages/help.js', import.meta.url), 'utf8');
	assert.equal(new Set(list.map((t) => t.id)).size, list.length);
	for (const {term, meaning, section} of list) {
		assert.match(meaning, /^[\p{Lu}\p{Script=Greek}0-9].*\.$/u, term);
		assert.ok(help.includes(`\t\t'${section}',`), `${term}: the help page has no section ${section}`);
	}
});

test('the glossary says why an iteration can be longer than the span of its run', () => {
	assert.match(meaningOf('Span').meaning, /activity on a GPU\. An iteration that the host marks can be longer/);
	assert.match(meaningOf('Iteration').meaning, /time of the host before the first and after the last activity of the GPU/);
});
