// format.js - formats numbers, dates and sizes as text. Pure: it reads no clock, and its output
// does not depend on the locale.

export const NONE = '–';

// A sentence with a capital letter. Identifiers keep their case: a first word that is not made of
// lower-case letters alone, such as flash_fwd_kernel, and a first word among `names`.
export function capital(text, names = []) {
	const word = text.match(/^[a-z]+(-[a-z]+)*(?!\w|[<([]|::|\.\w|-\w)/)?.[0];
	const named = names.some((name) => name && text.startsWith(name) && !/\w/.test(text.charAt(name.length)));
	return word && !named ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

const known = (n) => n !== null && n !== undefined;

function grouped(digits) {
	return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// 1234567 -> "1,234,567", with `digits` decimal places.
export function count(n, digits = 0) {
	if (!known(n)) return NONE;
	const [whole, rest] = Math.abs(n).toFixed(digits).split('.');
	const sign = n < 0 && /[1-9]/.test(whole + rest) ? '−' : '';
	return sign + grouped(whole) + (rest ? `.${rest}` : '');
}

// The time units, with the number of nanoseconds in each.
export const UNITS = {ns: 1, µs: 1e3, ms: 1e6, s: 1e9};

// The largest unit in which a duration is at least 1.
function unitFor(ns) {
	for (const unit of ['s', 'ms', 'µs']) if (ns >= UNITS[unit]) return unit;
	return 'ns';
}

// The unit for a column whose largest or median value is `ns`. Much smaller values still show
// digits in this unit.
export function columnUnit(ns) {
	if (ns >= 1e10) return 's';
	return ns >= 1e7 ? 'ms' : 'µs';
}

// A duration in a unit that is shown elsewhere (in the column's heading), rounded half up to
// `digits` decimal places. Nanoseconds have no decimal place if they are a whole number, otherwise
// one.
export function inUnit(ns, unit, digits = 3) {
	if (!known(ns)) return NONE;
	if (unit === 'ns') return count(ns, Number.isInteger(ns) ? 0 : 1);
	return count(Math.round((ns * 10 ** digits) / UNITS[unit]) / 10 ** digits, digits);
}

// A duration with its unit: "1.234 ms".
export function duration(ns) {
	if (!known(ns)) return NONE;
	const unit = unitFor(ns);
	return `${inUnit(ns, unit)} ${unit}`;
}

// A signed difference in a unit that is shown elsewhere.
export function signed(ns, unit, digits = 3) {
	if (!known(ns)) return NONE;
	const text = inUnit(Math.abs(ns), unit, digits);
	return /[1-9]/.test(text) ? `${ns < 0 ? '−' : '+'}${text}` : text;
}

// A signed difference with its unit: "+1.234 ms".
export function signedDuration(ns) {
	if (!known(ns)) return NONE;
	const text = duration(Math.abs(ns));
	return /[1-9]/.test(text) ? `${ns < 0 ? '−' : '+'}${text}` : text;
}

// A probability; never 0.
export function probability(p) {
	if (!known(p)) return NONE;
	return p < 0.001 ? '< 0.001' : count(p, 3);
}

// The ratio head / base as a change in percent: 1.25 -> "+25.0 %".
export function changeOf(ratio) {
	if (!known(ratio)) return NONE;
	if (ratio >= 10) return `× ${count(ratio, 1)}`;
	const text = count(Math.abs(ratio - 1) * 100, 1);
	return `${text === '0.0' ? '±' : ratio < 1 ? '−' : '+'}${text} %`;
}

// A signed difference in percent: "+4.2 %", "−1.6 %", "±0.0 %".
export function signedPercent(pct, digits = 1) {
	if (!known(pct)) return NONE;
	const text = count(Math.abs(pct), digits);
	return `${!/[1-9]/.test(text) ? '±' : pct < 0 ? '−' : '+'}${text} %`;
}

// A sentence of the server, with the minus and the unit that pages use. Only numbers with a unit
// change, so that names of kernels keep their characters.
export function sentence(text) {
	return text
		.replace(/(^|[\s(])-(?=\d[\d.,]* ?(?:%|(?:ns|µs|us|ms|s)(?!\w)))/g, '$1−')
		.replace(/(\d) us(?!\w)/g, '$1 µs');
}

// A number without a unit, to six significant digits.
export function number(n) {
	if (!known(n)) return NONE;
	if (Number.isInteger(n) || Math.abs(n) >= 1e5) return count(n);
	const text = String(Number(n.toPrecision(6)));
	return text.includes('e') ? text : count(n, text.split('.')[1]?.length ?? 0);
}

// A mean of counts: an integer, or three significant digits.
export function mean(n) {
	if (!known(n)) return NONE;
	return Number.isInteger(n) || n >= 100 ? count(n) : String(Number(n.toPrecision(3)));
}

// A duration to the nanosecond, for a title.
export function exact(ns) {
	return known(ns) ? `${inUnit(ns, 'ns')} ns` : 'unknown';
}

export function bytes(n) {
	if (!known(n)) return NONE;
	const names = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;
	while (n >= 1024 && i < names.length - 1) {
		n /= 1024;
		i++;
	}
	return `${count(n, i === 0 ? 0 : n < 10 ? 2 : 1)} ${n === 1 && i === 0 ? 'byte' : names[i]}`;
}

// A share that is already in percent, for a table.
export function percent(p) {
	return known(p) ? count(p, 1) : NONE;
}

// A share in a sentence: not 100 % or 0 % unless it is exact.
export function shareOf(p) {
	if (p > 99.9 && p < 100) return 'More than 99.9 %';
	return p > 0 && p < 0.1 ? 'Less than 0.1 %' : `${percent(p)} %`;
}

// A number that is an identifier.
export function plain(n) {
	return known(n) ? String(n) : NONE;
}

// Progress from 0 to 100, never 100 before the end; null if unknown.
export function progress(done, total) {
	if (!known(done) || !known(total) || total <= 0) return null;
	return done >= total ? 100 : Math.floor((done * 100) / total);
}

// "2026-08-22T10:11:12.123Z" -> "2026-08-22 10:11 UTC"
export function moment(iso) {
	if (!known(iso)) return NONE;
	return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

// The time since a date at `now` (milliseconds since 1970).
export function age(iso, now) {
	if (!known(iso)) return NONE;
	const s = Math.max(0, Math.floor((now - Date.parse(iso)) / 1000));
	if (s < 60) return s < 5 ? 'just now' : `${s} s ago`;
	if (s < 3600) return `${Math.floor(s / 60)} min ago`;
	if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
	const days = Math.floor(s / 86400);
	return days === 1 ? '1 day ago' : `${count(days)} days ago`;
}

// The dimensions of a grid or block.
export function dims(xyz) {
	return xyz ? xyz.join(' × ') : NONE;
}

// "3 of 8", or the part of it that is known; null if the rank is unknown.
export function rank(number, size) {
	if (!known(number)) return null;
	return known(size) ? `${number} of ${size}` : `${number}`;
}

// "1 run", "2 runs"
export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

// "branch=main, gpu=h100" -> {branch: 'main', gpu: 'h100'}; throws an error if a part is not
// key=value.
export function labels(text) {
	const out = {};
	for (const part of text
		.split(/[,\n]/)
		.map((p) => p.trim())
		.filter(Boolean)) {
		const at = part.indexOf('=');
		if (at < 1) throw new Error(`label '${part}' is not of the form key=value`);
		out[part.slice(0, at).trim()] = part.slice(at + 1).trim();
	}
	return out;
}

// A query for an address; commas and colons are not encoded.
export function query(params) {
	return params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}
