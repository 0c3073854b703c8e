// documents.test.mjs - checks that the documents used in place of answers follow the schemas.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as two from './compare/documents.mjs';
import * as trends from './trends/documents.mjs';
import * as layers from './layers/documents.mjs';
import * as doc from './importance/documents.mjs';
import {faults} from './schema.mjs';

const plain = new URLSearchParams();
const against = new URLSearchParams('against=H20');
// [schema, document]
const DOCUMENTS = [
	['importance', doc.fleet(plain)], ['importance', doc.fleet(plain, {none: true})], ['importance_shapes', doc.fleetShapes('gemm')], ['fusions', doc.fusions(plain)], ['fusions', doc.fusions(plain, {none: true})], ['devices', doc.devices()],
	['unattributed_list', doc.unattributed()], ['unattributed_list', doc.runKernels()], ['replayed_graph_list', doc.runGraphs()], ['reference_set_list', doc.sets('a')], ['platform_list', doc.platforms()],
	['run_operators', doc.runOperators(plain)], ['run_operators', doc.runOperators(against)],
	['run_shapes', doc.runShapes(plain)], ['run_shapes', doc.runShapes(against)],
	['breakdown', layers.breakdown()], ['breakdown', layers.flat()], ['group_list', layers.groups()], ['breakdown_comparison', layers.breakdownComparison()], ['breakdown_comparison', layers.breakdownComparison(new URLSearchParams('runs=7,8,9'))],
	['home', trends.home()], ['home', trends.emptyHome()], ['trend', trends.trend()], ['trend', trends.trend(new URLSearchParams('metric=coverage'), 3)], ['trend', trends.trend(new URLSearchParams('metric=busbw'))], ['trend', trends.long(plain, 100)], ['workload_list', trends.workloads()],
	...[1, 2, 3, 4].map((id) => ['gate', trends.gate(id)]), ['gate_list', trends.gates()],
	['comparison', two.comparison()], ['comparison', two.comparison({refused: true})], ['comparison', two.ofJobs()], ['series', two.series(new URLSearchParams('function=add'))],
	['iteration_list', two.iterations()], ['pattern_list', two.patterns()], ['job_list', two.jobs()], ['job', two.job()], ['job_exchanges', two.exchanges()], ['job_steps', two.jobSteps()], ['suspicion', two.published()],
];
DOCUMENTS.forEach(([name, made], i) => test(`document ${i}: ${name}`, () => assert.deepEqual(faults(made, name), [])));

test('faults: each in a line', () => {
	const [row] = doc.platforms().items;
	assert.deepEqual(faults({...doc.platforms(), fault: 1, items: [{...row, site_override: null, more: 1}], site_overrides: undefined}, 'platform_list'),
		['platform_list lacks site_overrides', 'platform_list.fault is 1', 'platform_list.items[0].site_override is null', 'platform_list.items[0] has more']);
});
