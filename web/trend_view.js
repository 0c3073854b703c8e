// trend_view.js - what of a long series is in sight, and where moves lead: ranges
// of its axis, [low, high], and the points within them. Pure.

// Where points stand: by their time, or by their order.
export const places = (doc, by) => (by === 'order' ? doc.points.run.map((_, i) => i) : doc.points.at_ms);

// The first index whose place is not below x; places ascend.
export function first(list, x, place = (v) => v) {
	let [low, high] = [0, list.length];
	while (low < high) {
		const mid = (low + high) >> 1;
		if (place(list[mid]) < x)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// The indices [from, to) of the points within a range.
export function within(list, [low, high]) {
	const from = first(list, low);
	let to = first(list, high);
	while (to < list.length && list[to] === high)
		to++;
	return [from, to];
}

// A range that holds points from..to with a little room beside them, `lone` where
// they stand at one place.
export function around(list, from, to, lone) {
	const [low, high] = [list[from], list[to]];
	const room = (high - low) * 0.015 || lone;
	return [low - room, high + room];
}

// The range within the whole one, as wide as it is where that is possible.
export function held([low, high], [least, most]) {
	const wide = Math.min(high - low, most - least);
	const from = Math.min(Math.max(low, least), most - wide);
	return [from, from + wide];
}

// Narrower (factor < 1) or wider around a place, which stays where it is seen;
// never so narrow that less than `least` of the axis is left.
export function zoomed([low, high], all, factor, place, least) {
	const wide = Math.max((high - low) * factor, least);
	const part = high > low ? (place - low) / (high - low) : 0.5;
	const from = place - part * wide;
	return held([from, from + wide], all);
}

// Aside by a part of its width.
export function panned([low, high], all, part) {
	const by = (high - low) * part;
	return held([low + by, high + by], all);
}

// A point brought into sight: the range as it is, or moved to have it in the middle.
export function showing([low, high], all, place) {
	if (place >= low && place <= high)
		return [low, high];
	const half = (high - low) / 2;
	return held([place - half, place + half], all);
}

// Of those near a place of the screen, the point nearest to it, or null. `xs` and
// `ys` answer where a point is seen; indices [from, to) are those looked at.
export function nearest([from, to], xs, ys, x, y) {
	let best = null;
	let least = Infinity;
	for (let i = from; i < to; i++) {
		const d = (xs(i) - x) ** 2 + (ys(i) - y) ** 2;
		if (d < least)
			[best, least] = [i, d];
	}
	return best;
}

// Of marks at such places, those that are at least `gap` behind the one before.
export function apart(list, place, gap) {
	let last = -Infinity;
	return list.filter((mark) => {
		const x = place(mark);
		if (x - last < gap)
			return false;
		last = x;
		return true;
	});
}

// The axis of values between these: from zero where they come near it.
export function span(low, high) {
	if (!(high >= low))
		return [0, 1];
	const room = (high - low) * 0.1 || Math.abs(high) * 0.05 || 1;
	return low >= 0 && low < 0.35 * high ? [0, high + room] : [low - room, high + room];
}

const pad = (n) => String(n).padStart(2, '0');

// Moments along an axis, `step` ms apart, each as short as it can be; where
// another day or year begins, a second line says which.
export function timeTexts(list, step) {
	let before = null;
	return list.map((ms) => {
		const d = new Date(ms);
		const year = String(d.getUTCFullYear());
		const day = `${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())}`;
		const [text, under] = step >= 300 * 86400000 ? [year, '']
			: step >= 86400000 ? [day, year]
				: [`${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}${step < 60000 ? `:${pad(d.getUTCSeconds())}` : ''}${step < 1000 ? `.${String(d.getUTCMilliseconds()).padStart(3, '0')}` : ''}`, `${year}-${day}`];
		const line = under && under !== before ? `${text}\n${under}` : text;
		before = under;
		return line;
	});
}
