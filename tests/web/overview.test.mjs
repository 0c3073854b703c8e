// overview.test.mjs - tests queries for the sides of a comparison, and points of a run's roofline.

import assert from 'node:assert/strict';
import test from 'node:test';
import {headSide, queryWord, sideQuery} from '../../web/lib/comparison.js';
import {splitParts} from '../../web/lib/diagnosis.js';
import {rooflineDoc} from '../../web/lib/run_roofline.js';

test('words of a query: quoted if the server would divide or change them', () => {
	for (const [value, want] of [
		['main', 'k=main'], ['release/1.2', 'k=release/1.2'], ['a b', 'k="a b"'], ['a"b\\c', 'k="a\\"b\\\\c"'], ['=', 'k="="'], ['🙂', 'k="🙂"'],
		['', ''], ['  ', ''], [null, ''], [undefined, '']])
		assert.equal(queryWord('k', value), want);
});

test('a query of a form, without its empty fields', () => {
	assert.equal(sideQuery({project: 'ci', workload: 'a b', key: 'branch', value: 'main', last: 5}), 'project=ci workload="a b" label.branch=main last=5');
	assert.equal(sideQuery({project: '', workload: '', key: ' ', value: 'main', last: ''}), '');
	assert.equal(sideQuery({key: 'branch', value: '', last: 3}), 'last=3');
});

test('the head of a run: all runs of its commit, or the run alone', () => {
	const run = {id: 7, project: 'ci', workload: 'steps', git_commit: '3f2a91c'};
	assert.equal(headSide(run), 'project=ci workload=steps label.commit=3f2a91c last=64');
	for (const key of ['project', 'workload', 'git_commit'])
		assert.equal(headSide({...run, [key]: key === 'git_commit' ? null : ''}), '7');
});

test('the bar of the mean iteration: kernels of all classes are one part, idle causes follow', () => {
	const cause = (kind, word, time_ns) => ({kind, cause: word, time_ns, share_pct: time_ns / 10});
	const doc = {causes: [cause('busy', 'compute_bound', 100), cause('busy', 'no_bound', 200), cause('busy', 'copies', 300), cause('idle', 'unknown', 100),
		cause('idle', 'host_gap', 299.9), cause('idle', 'copy_wait', 0.1)]};
	assert.deepEqual(splitParts(doc).map((p) => [p.part, p.label, p.time_ns]), [
		['compute', 'Compute', 300], ['copies', 'Copies', 300], ['idle', 'Idle: host gap', 299.9], ['idle', 'Idle: unknown', 100]]);
});

test('a point of the roofline: attained rates of the covered part of the time', () => {
	// 2 ms, of which half is covered: 1e12 FLOP at a peak of 4e15 FLOP/s take 0.25 ms, MFU 0.125. 1e9 bytes
	// at 2e12 byte/s take 0.5 ms, MBU 0.25. In the covered 1 ms: 1e15 FLOP/s and 1e12 byte/s.
	const platform = {name: 'X', bytes_per_s: 2e12, peak_flops: {bf16: 4e15}};
	const row = {operator: 'gemm', dtype: 'bf16', mfu: 0.125, mbu: 0.25, utilization_covered: 0.5, time_pct: 40, regime: 'memory', s: 0.5};
	const [point] = rooflineDoc({platform_peaks: platform, items: [row]}).items;
	assert.deepEqual(point, {operator: 'gemm bf16', dtype: 'bf16', ai: 1000, attained_flops: {X: 1e15}, importance: 0.4, regime: 'memory', s: 0.5});
	const ai = (change) => rooflineDoc({platform_peaks: platform, items: [{...row, ...change}]}).items[0].ai;
	assert.deepEqual([ai({mfu: 0}), ai({mfu: null}), ai({dtype: 'fp8'}), ai({utilization_covered: null})], [0, null, null, null]);
});
