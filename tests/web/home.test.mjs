// home.test.mjs - tests the time range of the home page, and the hours of its chart.

import assert from 'node:assert/strict';
import test from 'node:test';
import {daySeries, hoursText} from '../../web/chart/chart_days.js';
import {homeScope} from '../../web/pages/home.js';

test('homeScope: without a time range, the last 30 days', () => {
	const now = Date.UTC(2026, 10, 28, 12);
	assert.deepEqual(homeScope(new URLSearchParams('project=p'), now), {project: 'p', workload: '', since: '2026-10-29', until: ''});
	assert.equal(homeScope(new URLSearchParams('since=1970-01-01'), now).since, '1970-01-01');
});

test('hoursText: as many digits as say something', () =>
	assert.deepEqual([0, 0.0123, 1.26, 1234.5].map(hoursText), ['0', '0.012', '1.3', '1,235']));

test('daySeries: the rest only if there is any', () => {
	const day = {operator_hours: [1], other_hours: 0, unattributed_hours: 0.5};
	assert.deepEqual(daySeries({operators: ['gemm'], days: [day]}).map(({name}) => name), ['gemm', 'unattributed']);
});
