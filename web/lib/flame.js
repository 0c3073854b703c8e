// flame.js - a call tree as the rows of a flame graph: names, chains of single children, positions,
// search, differences of two runs. Pure.

import {NONE, count, duration, exact, plural, shareOf, signedDuration} from './format.js';

// The kinds of nodes: a word, a sign and the class of the color. Sign and color say the same.
export const KINDS = {
	root: {name: 'All kernels', sign: '∑', look: 'kind-root'},
	annotation: {name: 'range', sign: '↔', look: 'kind-range'},
	module: {name: 'module', sign: '▣', look: 'kind-module'},
	python: {name: 'Python function', sign: 'ƒ', look: 'kind-python'},
	op: {name: 'operator', sign: '○', look: 'kind-op'},
	kernel: {name: 'kernel', sign: '■', look: 'kind-kernel'},
	no_range: {name: 'no path', sign: '?', look: 'kind-rest'},
	no_call: {name: 'no path', sign: '?', look: 'kind-rest'},
	other: {name: 'small nodes', sign: '…', look: 'kind-rest'},
};

const UNNAMED = {
	root: 'All kernels',
	no_range: 'Nothing was open around the API call',
	no_call: 'The trace has no API call',
};

// "torch/nn/modules/linear.py(125): forward" -> "forward, linear.py:125"
function pythonLabel(name, source) {
	if (!source) return name;
	const file = source.slice(source.lastIndexOf('/') + 1);
	return `${name.slice(name.indexOf('): ') + 3)}, ${file}`;
}

function labelOf(node, kernels) {
	if (node.kind === 'kernel') return kernels[node.kernel].distinct_name;
	if (node.kind === 'other') return plural(node.members, 'small node');
	if (node.kind === 'python') return pythonLabel(node.name, node.source);
	if (node.kind === 'module') return node.name.replace(/^nn\.Module: /, '');
	return node.name ?? UNNAMED[node.kind];
}

// The nodes of an answer of /call-tree with their labels, full names, parents and children.
export function treeOf(doc) {
	const nodes = doc.nodes.map((node, id) => ({
		...node,
		id,
		label: labelOf(node, doc.kernels),
		whole: node.kind === 'kernel' ? doc.kernels[node.kernel].name : (node.name ?? UNNAMED[node.kind] ?? null),
		children: [],
	}));
	for (const node of nodes) {
		node.up = node.parent === null ? null : nodes[node.parent];
		node.whole ??= node.label;
		node.up?.children.push(node);
	}
	distinguish(nodes);
	return nodes;
}

// Nodes of one kind and name get `inside`: the nearest modules or ranges around them that
// the others lack, or null. At most three, because a name is read and not a path.
const MOST_INSIDE = 3;
function distinguish(nodes) {
	const groups = new Map();
	for (const node of nodes) {
		node.inside = null;
		const key = `${node.kind} ${node.whole}`;
		groups.set(key, [...(groups.get(key) ?? []), node]);
	}
	const around = (node) => {
		const names = [];
		for (let at = node.up; at; at = at.up) if (['module', 'annotation'].includes(at.kind)) names.push(at.label);
		return names;
	};
	for (const group of [...groups.values()].filter((list) => list.length > 1)) {
		const paths = group.map((node) => [...new Set(around(node))]);
		const counts = new Map();
		for (const name of paths.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
		const own = paths.map((names) => names.filter((name) => counts.get(name) < group.length));
		for (let most = 1; most <= MOST_INSIDE; most++) {
			const texts = own.map((names) => names.slice(0, most).reverse().join(' › ') || null);
			const seen = new Map();
			for (const text of texts) seen.set(text, (seen.get(text) ?? 0) + 1);
			// A node keeps the shortest text that no other node has, or else the longest one.
			group.forEach((node, i) => {
				if (!node.alone) node.inside = texts[i];
				node.alone ||= seen.get(texts[i]) === 1;
			});
		}
		for (const node of group) delete node.alone;
	}
}

// A bar of the graph is a node, or a chain of nodes each of which is the only child of the one
// before. A chain ends before a module, a range, the first operator of several, and the kernel,
// because these divide the graph into call path, module, operator and kernel.
const begins = (node, last) =>
	['module', 'annotation', 'kernel', 'other'].includes(node.kind) || (node.kind === 'op' && last.kind !== 'op');

function chainFrom(node, every) {
	const chain = [node];
	for (let last = node; !every && last.children.length === 1 && last.up; last = chain.at(-1)) {
		if (begins(last.children[0], last)) break;
		chain.push(last.children[0]);
	}
	return chain;
}

// The name of a bar: its first node, except for Python functions, of which the nearest user frame
// or else the innermost says most. `user` is the nearest user frame if it is not the name itself.
export function faceOf(chain) {
	const user = chain.findLast((node) => node.user_frame) ?? null;
	const main = chain[0].kind === 'python' ? (user ?? chain.at(-1)) : chain[0];
	return {main, user: user === main ? null : user};
}

// All bars, the root first, each parent before its children. `every`: no chains. `order` 'time':
// most time first; 'trace': as the frames first occur in the trace.
export function barsOf(nodes, {every = false, order = 'time'} = {}) {
	const bars = [];
	const open = [[nodes[0], null]];
	while (open.length) {
		const [node, up] = open.pop();
		const chain = chainFrom(node, every);
		const bar = {id: node.id, chain, node, up, depth: up ? up.depth + 1 : 0, children: [], ...faceOf(chain)};
		up?.children.push(bar);
		bars.push(bar);
		const next = [...chain.at(-1).children];
		if (order === 'time') next.sort((a, b) => weightOf(b) - weightOf(a));
		for (const child of next.reverse()) open.push([child, bar]);
	}
	return bars;
}

// The width of a node: the time of both runs, so that what only one of them has is visible, too.
export const weightOf = (node) => node.total_ns + (node.against_ns ?? 0);

// The text of a bar that is `px` wide: {name, user, figure}, of which the figure and the user frame are
// left out first; a name that is too long is cut at its end. Null if less than NAME_MIN letters fit.
// measure(text) returns the width of a text.
const NAME_MIN = 4;
const GAP = ' · ';
export function barText({main, user}, figureText, px, measure) {
	const whole = {name: main.label, user: user?.label ?? '', figure: figureText};
	const width = (of) => measure([of.name, of.user && `${GAP}${of.user}`, of.figure && ` ${of.figure}`].join(''));
	for (const of of [whole, {...whole, user: ''}, {...whole, user: '', figure: ''}]) if (width(of) <= px) return of;
	const letters = [...main.label];
	let [fits, low, high] = [0, 1, letters.length];
	while (low <= high) {
		const middle = (low + high) >> 1;
		if (measure(`${letters.slice(0, middle).join('')}…`) <= px) [fits, low] = [middle, middle + 1];
		else high = middle - 1;
	}
	return fits < NAME_MIN ? null : {name: `${letters.slice(0, fits).join('')}…`, user: '', figure: ''};
}

// The place of each bar in the view of `top`: {bar, x, width} with x and width from 0 to 1, and
// `row`. The bars above `top` fill their rows. Bars narrower than `min` are left out.
export function placed(top, min) {
	const out = [];
	for (let bar = top.up; bar; bar = bar.up) out.unshift({bar, x: 0, width: 1, row: bar.depth, above: true});
	const all = weightOf(top.node);
	const open = [{bar: top, x: 0, width: 1, row: top.depth}];
	while (open.length) {
		const at = open.pop();
		out.push(at);
		let {x} = at;
		for (const bar of at.bar.children) {
			const width = all ? weightOf(bar.node) / all : at.width / at.bar.children.length;
			if (width >= min) open.push({bar, x, width, row: bar.depth});
			x += width;
		}
	}
	return out;
}

const holds = (bar, q) => bar.chain.some((node) => node.whole.toLowerCase().includes(q) || node.label.toLowerCase().includes(q));

// The ids of the bars that contain `text`, and the time of the launches below at least one of them.
export function found(bars, text) {
	const q = text.trim().toLowerCase();
	const ids = new Set();
	const below = new Set();
	let ns = 0;
	if (q)
		for (const bar of bars) {
			const inside = bar.up !== null && below.has(bar.up.id);
			const hit = holds(bar, q);
			if (hit) ids.add(bar.id);
			if (hit || inside) below.add(bar.id);
			if (hit && !inside) ns += bar.node.total_ns;
		}
	return {ids, ns};
}

export const shareText = (ns, of) => (of ? shareOf((100 * ns) / of) : NONE);

// The difference of a node between this run and the other one. `basis` 'time': of the GPU time;
// 'share': of the shares of each run's GPU time, in percentage points.
export function change(node, root, basis) {
	if (node.against_ns === null) return null;
	if (basis === 'time') {
		const delta = node.total_ns - node.against_ns;
		const most = Math.max(node.total_ns, node.against_ns);
		return {delta, text: signedDuration(delta), part: most ? delta / most : 0};
	}
	const share = (ns, of) => (of ? (100 * ns) / of : 0);
	const [now, then] = [share(node.total_ns, root.total_ns), share(node.against_ns, root.against_ns)];
	const points = count(Math.abs(now - then), 2);
	const sign = Number(points) === 0 ? '±' : now < then ? '−' : '+';
	return {delta: now - then, text: `${sign}${points} points`, part: Math.max(now, then) ? (now - then) / Math.max(now, then) : 0};
}

// The color of a bar in a comparison has steps. A change below 2 %, which is less than most noise
// floors, has none.
const STEPS = [0.02, 0.1, 0.3];
export function changeLook({part}) {
	const step = STEPS.filter((limit) => Math.abs(part) >= limit).length;
	return step ? `${part > 0 ? 'more' : 'less'}-${step}` : 'same';
}

// The figure on a bar: its share, or its change.
export const figure = (node, root, basis) =>
	change(node, root, basis)?.text ?? shareText(node.total_ns, root.total_ns);

// What is known of a bar, for the line below the graph and for screen readers. It begins with the text on
// the bar, as the accessible name of an element must.
export function sentence(bar, root, basis) {
	const {main, user, node, chain} = bar;
	const compared = node.against_ns !== null;
	return [
		`${main.label}${user ? ` · ${user.label}` : ''} ${figure(node, root, basis)}`,
		KINDS[main.kind].name === main.label ? null : KINDS[main.kind].name,
		main.inside ? `in ${main.inside}` : null,
		duration(node.total_ns),
		compared ? `the other run ${duration(node.against_ns)}` : null,
		plural(node.launches, 'launch', 'launches'),
		main.members > 1 && main.kind !== 'other' ? `${count(main.members)} names are one` : null,
		chain.length > 1 ? plural(chain.length, 'frame') : null,
	]
		.filter(Boolean)
		.join(', ');
}

// The facts of a bar: [term, text], and the exact time as a title.
export const exactTitle = (node) =>
	node.against_ns === null ? exact(node.total_ns) : `${exact(node.total_ns)}; other run ${exact(node.against_ns)}`;

// The kernel with the most time, and the path that launches most of it: {kernel, ns, leaf, user,
// module}; null if nothing was launched or no single kernel is large enough for a node.
export function costliest(nodes) {
	const ns = new Map();
	for (const node of nodes) if (node.kind === 'kernel') ns.set(node.kernel, (ns.get(node.kernel) ?? 0) + node.total_ns);
	const [most] = [...ns].sort((a, b) => b[1] - a[1]);
	if (!most) return null;
	const [leaf] = nodes
		.filter((node) => node.kernel === most[0])
		.sort((a, b) => b.total_ns - a.total_ns);
	const above = [];
	for (let node = leaf.up; node; node = node.up) above.push(node);
	return {
		kernel: most[0],
		ns: most[1],
		leaf,
		user: above.find((node) => node.user_frame) ?? null,
		module: above.find((node) => node.kind === 'module') ?? null,
		path: above[0].kind !== 'no_range' && above[0].kind !== 'no_call',
	};
}
