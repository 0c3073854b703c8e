// flame.test.mjs - tests the bars of a flame graph: names, chains, order, positions, search, changes.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as x from '../../web/lib/flame.js';

// [parent, kind, name or kernel, ns, launches, more]
const doc = (rows, kernels = []) => ({
	kernels,
	nodes: rows.map(([parent, kind, name, ns, launches = 1, more = {}]) => ({
		parent, kind, name: kind === 'kernel' ? null : name, kernel: kind === 'kernel' ? name : null, source: null, user_frame: false,
		members: 1, callers: 1, launches, total_ns: ns, against_launches: null, against_ns: null, ...more,
	})),
});
const KERNELS = [{id: 5, name: 'void softmax<8>(int)', distinct_name: 'softmax', operator: 'softmax'}, {id: 6, name: 'gemm', distinct_name: 'gemm', operator: null}];

// main > Layer_* > torch call > forward > { aten::softmax > aten::_softmax > softmax, gemm }, small nodes, no path
const LAYERS = doc([
	[null, 'root', null, 1000, 12],
	[0, 'python', 'train.py(3): main', 900, 10, {source: 'train.py:3'}],
	[1, 'module', 'nn.Module: Layer_*', 900, 10, {members: 24}],
	[2, 'python', 'torch/nn/modules/module.py(1743): _call_impl', 900, 10, {source: 'torch/nn/modules/module.py:1743'}],
	[3, 'python', 'models/vision.py(88): forward', 900, 10, {source: 'models/vision.py:88', user_frame: true}],
	[4, 'kernel', 1, 200, 4],
	[4, 'op', 'aten::softmax', 700, 6],
	[6, 'op', 'aten::_softmax', 700, 6],
	[7, 'kernel', 0, 700, 6],
	[0, 'other', null, 60, 1, {members: 7}],
	[0, 'no_call', null, 40, 1],
	[10, 'kernel', 0, 40, 1],
], KERNELS);

// { VisionTransformer_0 > Attention_* > softmax, gemm }, { TextTransformer_0 > { Attention_* > gemm, Embedding_0 > gemm } }
const TOWERS = doc([
	[null, 'root', null, 100],
	[0, 'module', 'nn.Module: VisionTransformer_0', 60],
	[1, 'module', 'nn.Module: Attention_*', 60],
	[2, 'kernel', 0, 40],
	[2, 'kernel', 1, 20],
	[0, 'module', 'nn.Module: TextTransformer_0', 40],
	[5, 'module', 'nn.Module: Attention_*', 30],
	[6, 'kernel', 1, 30],
	[5, 'module', 'nn.Module: Embedding_0', 10],
	[8, 'kernel', 1, 10],
], KERNELS);

test('treeOf: nodes of one name have the modules that differ around them', () => {
	const nodes = x.treeOf(TOWERS);
	assert.deepEqual(nodes.map((n) => n.inside), [null, null, 'VisionTransformer_0', null, 'VisionTransformer_0 › Attention_*', null, 'TextTransformer_0',
		'TextTransformer_0 › Attention_*', null, 'Embedding_0']);
	assert.match(x.sentence(x.barsOf(nodes).find((bar) => bar.id === 6), nodes[0], 'time'), /^Attention_\* 30\.0 %, module, in TextTransformer_0, /);
	// The same path twice: nothing differs around them.
	const same = x.treeOf(doc([[null, 'root', null, 2], [0, 'op', 'a', 1], [0, 'op', 'a', 1]]));
	assert.deepEqual(same.map((n) => n.inside), [null, null, null]);
});

test('barText: the user frame is left out first, then the figure, then the end of the name; a few letters are no text', () => {
	const bar = {main: {label: 'Owlv2Attention_*'}, user: {label: 'forward, a.py:1'}};
	const at = (px) => Object.values(x.barText(bar, '92.4 %', px, (text) => [...text].length) ?? {}).join('|');
	assert.equal(at(100), 'Owlv2Attention_*|forward, a.py:1|92.4 %');
	assert.equal(at(40), 'Owlv2Attention_*||92.4 %');
	assert.equal(at(22), 'Owlv2Attention_*||');
	assert.equal(at(15), 'Owlv2Attention…||');
	assert.equal(at(5), 'Owlv…||');
	assert.equal(at(4), '');
	assert.equal(at(-8), '');
	// An emoji is one letter.
	assert.equal(x.barText({main: {label: '\u{1F600}'.repeat(9)}, user: null}, '', 6, (text) => [...text].length).name, `${'\u{1F600}'.repeat(5)}…`);
});

const drawn = (bars) => bars.map((bar) => `${'.'.repeat(bar.depth)}${bar.main.label}${bar.user ? ` · ${bar.user.label}` : ''} ${bar.chain.length}`);

test('barsOf: chains end before modules, operators and kernels; most time first', () =>
	assert.deepEqual(drawn(x.barsOf(x.treeOf(LAYERS))), [
		'All kernels 1',
		'.main, train.py:3 1',
		'..Layer_* · forward, vision.py:88 3',
		'...aten::softmax 2',
		'....softmax 1',
		'...gemm 1',
		'.7 small nodes 1',
		'.The trace has no API call 1',
		'..softmax 1',
	]));

test('barsOf: all frames, in the order of the trace', () => {
	const bars = x.barsOf(x.treeOf(LAYERS), {every: true, order: 'trace'});
	assert.equal(bars.length, 12);
	assert.deepEqual(bars.map((bar) => bar.node.id), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
	assert.equal(bars[8].depth, 7);
});

test('barsOf: a chain of Python functions has the name of the nearest user frame', () => {
	const chain = doc([[null, 'root', null, 5], [0, 'python', '<string>(1): <module>', 5], [1, 'python', 'a.py(2): f', 5, 1, {source: 'a.py:2', user_frame: true}],
		[2, 'python', 'torch/b.py(1): g', 5, 1, {source: 'torch/b.py:1'}], [3, 'kernel', 0, 5]], KERNELS);
	assert.deepEqual(drawn(x.barsOf(x.treeOf(chain))), ['All kernels 1', '.f, a.py:2 3', '..softmax 1']);
});

test('barsOf: a path of 500 frames, and nothing launched', () => {
	const rows = [[null, 'root', null, 5]];
	for (let i = 0; i < 500; i++) rows.push([i, 'python', `deep.py(${i}): f`, 5]);
	const deep = x.treeOf(doc([...rows, [500, 'kernel', 0, 5]], KERNELS));
	assert.deepEqual([x.barsOf(deep).length, x.barsOf(deep, {every: true}).length], [3, 502]);
	assert.deepEqual(drawn(x.barsOf(x.treeOf(doc([[null, 'root', null, 0, 0]])))), ['All kernels 1']);
	assert.equal(x.placed(x.barsOf(deep, {every: true})[0], 0.001).at(-1).row, 501);
});

test('placed: children divide the width of their parent; bars above the zoom fill their row', () => {
	const bars = x.barsOf(x.treeOf(LAYERS));
	const at = (list) => list.map(({bar, x: from, width, row, above}) => [bar.main.label, Number(from.toFixed(3)), Number(width.toFixed(3)), row, above ?? false]);
	assert.deepEqual(at(x.placed(bars[0], 0.05)).sort((a, b) => a[3] - b[3] || a[1] - b[1]), [
		['All kernels', 0, 1, 0, false], ['main, train.py:3', 0, 0.9, 1, false], ['7 small nodes', 0.9, 0.06, 1, false],
		['Layer_*', 0, 0.9, 2, false], ['aten::softmax', 0, 0.7, 3, false], ['gemm', 0.7, 0.2, 3, false], ['softmax', 0, 0.7, 4, false],
	]);
	assert.deepEqual(at(x.placed(bars[3], 0)), [['All kernels', 0, 1, 0, true], ['main, train.py:3', 0, 1, 1, true], ['Layer_*', 0, 1, 2, true],
		['aten::softmax', 0, 1, 3, false], ['softmax', 0, 1, 4, false]]);
});

test('placed: bars without time share the width', () => {
	const bars = x.barsOf(x.treeOf(doc([[null, 'root', null, 0, 2], [0, 'kernel', 0, 0], [0, 'kernel', 1, 0]], KERNELS)));
	assert.deepEqual(x.placed(bars[0], 0).map((p) => p.width), [1, 0.5, 0.5]);
});

// [text, labels of the bars that are found, ns]: a bar below a found bar counts once
const SEARCH = [
	['', [], 0],
	['SOFTMAX', ['aten::softmax', 'softmax', 'softmax'], 740],
	['void softmax', ['softmax', 'softmax'], 740],
	['layer_', ['Layer_*'], 900],
	['_call_impl', ['Layer_*'], 900],
	['nothing', [], 0],
];
for (const [text, labels, ns] of SEARCH)
	test(`found: '${text}'`, () => {
		const bars = x.barsOf(x.treeOf(LAYERS));
		const hits = x.found(bars, text);
		assert.deepEqual(bars.filter((bar) => hits.ids.has(bar.id)).map((bar) => bar.main.label), labels);
		assert.equal(hits.ns, ns);
	});

test('costliest: the kernel of all paths, its largest path and who launches it', () => {
	const most = x.costliest(x.treeOf(LAYERS));
	assert.deepEqual([most.kernel, most.ns, most.leaf.total_ns, most.user.label, most.module.label, most.path], [0, 740, 700, 'forward, vision.py:88', 'Layer_*', true]);
	assert.equal(x.costliest(x.treeOf(doc([[null, 'root', null, 0, 0]]))), null);
	const unknown = x.costliest(x.treeOf(doc([[null, 'root', null, 3], [0, 'no_call', null, 3], [1, 'kernel', 1, 3]], KERNELS)));
	assert.deepEqual([unknown.user, unknown.module, unknown.path], [null, null, false]);
});

// [ns, ns of the other run, basis, text, look]; the roots have 1000 and 2000 ns
const CHANGES = [
	[500, 500, 'time', '0 ns', 'same'],
	[510, 500, 'time', '+10 ns', 'same'],
	[600, 500, 'time', '+100 ns', 'more-2'],
	[500, 600, 'time', '−100 ns', 'less-2'],
	[500, 0, 'time', '+500 ns', 'more-3'],
	[0, 0, 'time', '0 ns', 'same'],
	[500, 1000, 'share', '±0.00 points', 'same'],
	[500, 900, 'share', '+5.00 points', 'more-2'],
	[100, 1000, 'share', '−40.00 points', 'less-3'],
];
for (const [ns, against, basis, text, look] of CHANGES)
	test(`change: ${ns} against ${against} of the ${basis}`, () => {
		const root = {total_ns: 1000, against_ns: 2000};
		const diff = x.change({total_ns: ns, against_ns: against}, root, basis);
		assert.deepEqual([diff.text, x.changeLook(diff)], [text, look]);
	});
test('change: one run has none', () => assert.equal(x.change({total_ns: 1, against_ns: null}, {total_ns: 1, against_ns: null}, 'time'), null));

test('sentence: what a bar is, in words', () => {
	const nodes = x.treeOf(LAYERS);
	const [all, , layer] = x.barsOf(nodes);
	assert.equal(x.sentence(layer, nodes[0], 'time'), 'Layer_* · forward, vision.py:88 90.0 %, module, 900 ns, 10 launches, 24 names are one, 3 frames');
	assert.equal(x.sentence(all, nodes[0], 'time'), 'All kernels 100.0 %, 1.000 µs, 12 launches');
});
