// timeline_terms.js - the terms of a timeline's strips, and its answers as drawable layers. Pure.

import {duration, plural, UNITS} from '../lib/format.js';
import {axisUnit, ticks, tickTexts} from '../chart/scale.js';

// Kernels with a color of their own: those with the most time in the run.
export const RANKED = 7;
export const CAUSES = {
	synchronization: 'the host waits for the device',
	copy_wait: 'the host waits for a copy',
	host_gap: 'the host does other work',
	launch_bound: 'the launch call runs',
	graph_launch: 'inside a graph launch',
	stream_dependency: 'waits for another stream',
	unknown: 'cause unknown',
};
export const causeText = (name) => CAUSES[name] ?? name;
const KINDS = {
	kernel: ['launch', 'launches'],
	copy: ['copy', 'copies'],
	set: ['memory set'],
	graph: ['graph replay'],
	cause: ['interval'],
	range: ['range'],
	module: ['module'],
	iteration: ['iteration'],
	excluded: ['excluded iteration'],
};

// Identifies a name in several answers of one run.
export const keyOf = ({kind, id, name}) => `${kind}:${id ?? name}`;

// A name as text. The server adds up names after the first 2,000 of a kind; their name is null.
export function nameText({kind, name}) {
	if (name === null) return `further ${kind === 'kernel' ? 'kernels' : KINDS[kind][1] ?? `${KINDS[kind][0]}s`}`;
	if (kind === 'cause') return causeText(name);
	return kind === 'excluded' ? `${name} (excluded)` : name;
}

// The number of an iteration, so that neighbors differ and keep their colors in every answer.
const numberOf = (name) => Number(name?.match(/(\d+)\D*$/)?.[1] ?? 0);

const FIELDS = ['dur_ns', 'busy_ns', 'count', 'name'];

// An answer with absolute starts, as arrays of numbers. `looks` is by key of a ranked kernel.
export function layerOf(doc, looks) {
	const strips = doc.strips.map((strip) => {
		const start = Float64Array.from(strip.start_ns);
		for (let i = 1; i < start.length; i++) start[i] += start[i - 1];
		return {
			...strip,
			...Object.fromEntries(FIELDS.map((key) => [key, Float64Array.from(strip[key])])),
			start,
			key: [strip.kind, strip.device, strip.stream, strip.thread, strip.depth].join(),
		};
	});
	const look = doc.names.map((n) => {
		if (n.kind === 'kernel') return looks.get(keyOf(n)) ?? 'other';
		if (n.kind === 'cause') return n.name in CAUSES ? n.name : 'unknown';
		if (n.kind === 'iteration') return numberOf(n.name) % 2 ? 'iteration-next' : 'iteration';
		return n.kind;
	});
	return {
		from: doc.from_ns,
		to: doc.to_ns,
		names: doc.names,
		look,
		keys: doc.names.map(keyOf),
		strips: new Map(strips.map((strip) => [strip.key, strip])),
	};
}

// The looks of the kernels with the most time.
export const looksOf = (doc) =>
	new Map(
		doc.names
			.filter(({kind}) => kind === 'kernel')
			.slice(0, RANKED)
			.map((n, i) => [keyOf(n), `kernel-${i + 1}`]),
	);

export function stripLabel({kind, device, stream, thread, depth}) {
	if (kind === 'idle') return 'GPU idle';
	if (kind === 'iterations') return 'Iterations';
	if (kind === 'stream') return `GPU ${device ?? '?'}, stream ${stream ?? '?'}`;
	return depth ? '' : kind === 'gpu_ranges' ? `GPU ranges ${thread ?? ''}` : `Ranges, thread ${thread ?? ''}`;
}

// The window [from, to) moved and cut to the run, at least `min` long.
export function within({from, to}, end, min) {
	const span = Math.min(end, Math.max(min, to - from));
	const start = Math.max(0, Math.min(end - span, from + (to - from - span) / 2));
	return {from: start, to: start + span};
}

// Zooms by a factor below (in) or above 1 (out), so that the time at `at` (0 to 1) stays in place.
export function zoomed({from, to}, factor, at) {
	const [span, fixed] = [to - from, from + (to - from) * at];
	return {from: fixed - span * factor * at, to: fixed + span * factor * (1 - at)};
}

// The segment of a strip at a time, or within `slack` ns of it; -1: none. Segments are in the order
// of their starts.
export function segmentAt(strip, ns, slack) {
	let best = -1;
	let nearest = slack;
	for (let i = 0; i < strip.start.length && strip.start[i] <= ns + slack; i++) {
		const away = Math.max(0, strip.start[i] - ns, ns - strip.start[i] - strip.dur_ns[i]);
		if (away <= nearest) [best, nearest] = [i, away];
	}
	return best;
}

// A segment as a sentence.
export function segmentText(layer, strip, i) {
	const name = layer.names[strip.name[i]];
	const at = `at ${duration(strip.start[i])}`;
	if (strip.count[i] === 1) return `${nameText(name)}: ${duration(strip.dur_ns[i])}, ${at}`;
	const items = plural(strip.count[i], ...KINDS[name.kind]);
	return `${items}, ${duration(strip.busy_ns[i])} within ${duration(strip.dur_ns[i])} ${at}, mostly ${nameText(name)}; zoom in to see each`;
}

// Ticks of the axis. Far from the start of the run they count from the first of them.
export function timeTicks({from, to}, maxTicks) {
	const list = ticks(from, to, maxTicks);
	const origin = from > 200 * (to - from) ? list[0] : 0;
	const unit = axisUnit((origin ? to - origin : to) || 1);
	const texts = tickTexts(list.map((v) => v - origin), UNITS[unit]);
	return {list, origin, texts: texts.map((t, i) => (origin ? (i ? `+${t} ${unit}` : duration(origin)) : `${t} ${unit}`))};
}
