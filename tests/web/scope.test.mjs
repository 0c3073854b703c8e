// scope.test.mjs - tests which addresses of the navigation carry which parts of the scope.

import assert from 'node:assert/strict';
import test from 'node:test';
import {runsUrl, scopeAfter, scopedUrl, scopeText} from '../../web/lib/scope.js';

const ALL = {project: 'p', workload: 'w', since: '2026-11-01', until: '2026-11-02'};
// [case, page, scope, more, address]
const URLS = [
	['all parts', '/runs', ALL, {}, '/runs?project=p&workload=w&since=2026-11-01&until=2026-11-02'],
	['only the project', '/jobs', ALL, {}, '/jobs?project=p'],
	['a page without filters', '/catalog', ALL, {}, '/catalog'],
	['a workload without a project, of which trends are those of no project', '/trends', {workload: 'w', since: '2026-11-01'}, {}, '/trends?since=2026-11-01'],
	['more parameters', '/gates', {project: 'p', workload: ''}, {outcome: 'regressed'}, '/gates?project=p&outcome=regressed'],
	['nothing', '/', {}, {}, '/'],
	['signs', '/', {project: 'a&b=c'}, {}, '/?project=a%26b%3Dc'],
];
for (const [what, path, scope, more, want] of URLS)
	test(`scopedUrl: ${what}`, () => assert.equal(scopedUrl(path, scope, more), want));

// [case, page, its query, scope afterwards]
const AFTER = [
	['the same', '/runs', 'project=p&workload=w&since=2026-11-01&until=2026-11-02', ALL],
	['cleared', '/runs', '', {project: '', workload: '', since: '', until: ''}],
	['a page without filters keeps it', '/runs/7', '', ALL],
	['a page of projects keeps the rest', '/jobs', 'project=p', ALL],
	['the workload of another project is dropped', '/jobs', 'project=q', {...ALL, project: 'q', workload: ''}],
	['the list of workloads keeps the time range', '/trends', 'since=2026-11-05', {project: '', workload: '', since: '2026-11-05', until: ''}],
];
for (const [what, path, query, want] of AFTER)
	test(`scopeAfter: ${what}`, () => assert.deepEqual(scopeAfter(ALL, path, new URLSearchParams(query)), want));

test('scopeText: the parts that are set, the project first, and a day without its time', () => {
	assert.equal(scopeText(ALL), 'project p, workload w, since 2026-11-01, until 2026-11-02');
	assert.equal(scopeText({}), 'all projects');
	assert.equal(scopeText({since: '2026-11-01T00:00:00Z'}, [['platform', 'H20'], ['phase', null]]), 'all projects, platform H20, since 2026-11-01');
});

test('runsUrl: the runs of a workload; none if a name is empty', () => {
	assert.equal(runsUrl({project: 'p', workload: 'w'}, {since: '2026-11-01', until: null}), '/runs?project=p&workload=w&since=2026-11-01');
	assert.deepEqual([runsUrl({project: '', workload: 'w'}, {}), runsUrl({project: 'p', workload: ''}, {})], [null, null]);
});
