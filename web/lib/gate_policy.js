// gate_policy.js - gates: their outcomes and rules, the position of a change relative to its limit,
// and the conversion of the form to a request. Pure.

import * as f from './format.js';

// Ordered by importance. Each outcome has a mark, because color alone is not accessible.
export const OUTCOMES = {
	regressed: {mark: '▲', text: 'regressed', description: 'slower than the limit, statistically significant'},
	bad_data: {mark: '!', text: 'bad data', description: 'the data does not meet the requirements'},
	undecided: {mark: '?', text: 'undecided', description: 'neither within the limits nor significantly beyond them'},
	pass: {mark: '✓', text: 'pass', description: 'within every limit'},
};

const RULES = {iteration: 'Iteration', operator: 'Operator', headroom: 'Headroom', busbw: 'Bus bandwidth', measure: 'Measure', anchor: 'Anchor', function: 'Function'};
export const ruleKind = (rule) => RULES[rule.rule] ?? rule.rule;
export const ruleName = (rule) =>
	[rule.of ?? ruleKind(rule), rule.device ? `on ${rule.device}` : ''].filter(Boolean).join(' ');

// Whether a lower value is worse, so that the limit is one of a fall.
export const isFall = (rule) => rule.fall;

// What a rule limits: its change relative to the base or, if `of` is not empty, as a percentage of
// the base's iteration.
export function limited(rule) {
	if (typeof rule.iteration_limit_pct === 'number')
		return {
			limit: rule.iteration_limit_pct,
			change: rule.iteration_change_pct,
			low: rule.iteration_low_pct,
			high: rule.iteration_high_pct,
			of: ' of the iteration',
		};
	const limit = isFall(rule) && rule.limit_pct !== null ? -rule.limit_pct : rule.limit_pct;
	return {limit, change: rule.change_pct, low: rule.low_pct, high: rule.high_pct, of: ''};
}

const signed = (pct) => f.signedPercent(pct);
export const percent = (pct) => (pct === null ? f.NONE : signed(pct));
export function intervalText(rule) {
	const {low, high, of} = limited(rule);
	return low === null || high === null ? f.NONE : `${signed(low)} to ${signed(high)}${of}`;
}
// The change as a percentage of the iteration; null if the rule does not limit it, or it is unknown.
export function iterationChangeText(rule) {
	const {change, of} = limited(rule);
	return of && change !== null ? signed(change) + of : null;
}

// From how many runs before the baseline a rule's noise is estimated, too.
export const earlierText = (rule) =>
	`noise estimated also from ${f.plural(rule.earlier_units, 'run')} stored before the baseline`;

// Two significant digits, because p is compared with an alpha that is often below 0.001.
export const probabilityText = (p) => (p === null ? f.NONE : String(Number(p.toPrecision(2))));

// The number of head runs that would decide.
export function runsNeededText(n) {
	if (n === -1) return 'the baseline is too small';
	return n ? f.plural(n, 'run') : f.NONE;
}

// The positions (0 to 1) of a rule's change, interval and limit, on one axis for all rules. The
// axis is symmetric around zero and ends at the largest value, but at most at ten times the largest
// limit. Larger values are drawn at the edge of the axis.
export function axisReach(rules) {
	const far = rules
		.map(limited)
		.flatMap((r) => [r.change, r.low, r.high])
		.filter((v) => v !== null)
		.map(Math.abs);
	const limit = Math.max(0, ...rules.map((r) => Math.abs(limited(r).limit ?? 0)));
	return Math.max(Math.min(Math.max(0, ...far), Math.max(10 * limit, 20)), 1.5 * limit, 1);
}
export function barPositions(rule, reach) {
	const at = (v) => (v === null ? null : Math.min(1, Math.max(0, (v + reach) / (2 * reach))));
	const {change, low, high, limit} = limited(rule);
	return {at: at(change), from: at(low), to: at(high), limit: at(limit)};
}

// "#1, #2 and 10 more"
export function runsText(ids, max = 8) {
	const shown = ids
		.slice(0, max)
		.map((id) => `#${id}`)
		.join(', ');
	return ids.length > max ? `${shown} and ${f.count(ids.length - max)} more` : shown;
}

const TERM = /\s*(?:([a-z]+(?:\.[^\s=]+)?)(?:=(?:"((?:[^"\\]|\\.)*)"|((?!")\S*)))?)\s*/y;

// Parses a side that the user typed: {ids} if it names runs or jobs, {params, last} if it is a
// query, otherwise {}. The server decides whether it is valid.
export function parseSide(text) {
	const side = text.trim();
	if (/^(job:)?\d+(\s*,\s*(job:)?\d+)*$/.test(side)) return {ids: side.split(/\s*,\s*/)};
	const params = {};
	TERM.lastIndex = 0;
	while (side && TERM.lastIndex < side.length) {
		const found = TERM.exec(side);
		if (!found) return {};
		const [, key, quoted, plain] = found;
		params[key] = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
	}
	const {last, latest, ...rest} = params;
	return side ? {params: rest, last: last === undefined ? 1 : Number(last)} : {};
}

// Limits per name as the form has them: "attention=5,gemm=3". `key` is "operator" or "measure";
// `limits` is null if an earlier release stored the gate, which had no limits of measures.
const limitsText = (key, limits) => (limits ?? []).map((limit) => `${limit[key]}=${limit.pct}`).join();
export const operatorsText = (limits) => limitsText('operator', limits);
export const measuresText = (limits) => limitsText('measure', limits);
// The limits that such a text has; throws an error for anything else.
function limitsOf(key, text) {
	return Object.entries(f.labels(text)).map(([name, pct]) => {
		if (!(Number(pct) >= 0) || pct === '')
			throw new Error(`the limit '${pct}' of ${key} '${name}' is not a number (use ${key.toUpperCase()}=PERCENT)`);
		return {[key]: name, pct: Number(pct)};
	});
}

// The number fields of the form: API field, label, hint. The server returns the defaults.
export const NUMBERS = [
	['iteration_pct', 'Iteration, %', 'largest allowed slowdown; empty: no rule'],
	['headroom_pct', 'Headroom, %', 'largest allowed growth, of the base\'s iteration'],
	['busbw_pct', 'Bus bandwidth, %', 'largest allowed fall, of collectives'],
	['anchor_pct', 'Anchor, %', 'largest allowed slowdown of the iteration against its lowest earlier level; empty: no rule'],
	['share_pct', 'Functions, %', 'smaller changes, of the base\'s iteration, are ignored'],
	['min_runs', 'Min. runs', 'per side'],
	['min_iterations', 'Min. iterations', 'per run'],
	['min_coverage_pct', 'Min. coverage, %', 'share of GPU time inside iterations'],
	['min_attributed_pct', 'Min. attributed, %', 'of the GPU time'],
	['noise_floor', 'Noise floor', 'relative deviation between runs; empty: estimated'],
	['seed', 'Seed', 'of the permutations'],
	['alpha', 'Alpha', 'false-positive rate; all gates of a commit together have at most 4/3 of it'],
];
const REMOVABLE = ['iteration_pct', 'anchor_pct'];
// The settings that are rarely needed, as text fields: API field, label, hint.
export const SETTINGS = [
	['unit', 'Label of the commit', 'runs with the same value repeat each other'],
	['range', 'Range', 'name of the ranges that are the iterations; empty: those that were detected'],
	['reject_on', 'Reject on', 'codes of findings, such as records_dropped'],
	['project', 'Project of queries', 'of the queries that name none'],
	['workload', 'Workload of queries', 'of the queries that name none'],
];
// Fields whose parameter in the page's address has another name, because the filter of the list has
// one of this name.
const PARAMS = {name: 'title', project: 'query_project', workload: 'query_workload'};
export const formParam = (key) => PARAMS[key] ?? key;
const TEXTS = ['base', 'head', 'name', 'anchor', 'unit', 'range', 'project', 'workload'];
const words = (text) =>
	text
		.split(',')
		.map((word) => word.trim())
		.filter(Boolean);
export const FAIL_ON = ['regressed', 'appeared', 'likely', 'vanished', 'improved'];

// Makes the request from the texts of the form; throws an error if a text is invalid. Values equal
// to the server's defaults are omitted. If a field is empty, its default applies, except for the
// rules of the iteration: an empty field removes the rule.
export function gateRequest(form, defaults) {
	const out = {};
	for (const key of TEXTS) if (form[key] && form[key] !== defaults[key]) out[key] = form[key];
	for (const [key, label] of NUMBERS) {
		const text = form[key] ?? '';
		if (text === '' && REMOVABLE.includes(key)) out[key] = null;
		if (text === '' || Number(text) === defaults[key]) continue;
		if (!Number.isFinite(Number(text))) throw new Error(`${label}: '${text}' is not a number`);
		out[key] = Number(text);
	}
	const reject = words(form.reject_on ?? '');
	if (reject.join() !== defaults.reject_on.join()) out.reject_on = reject;
	const operators = limitsOf('operator', form.operators ?? '');
	if (operatorsText(operators) !== operatorsText(defaults.operators)) out.operators = operators;
	const measures = limitsOf('measure', form.measures ?? '');
	if (measuresText(measures) !== measuresText(defaults.measures)) out.measures = measures;
	const fail = FAIL_ON.filter((name) => form.fail_on.includes(name));
	if (fail.join() !== FAIL_ON.filter((name) => defaults.fail_on.includes(name)).join()) out.fail_on = fail;
	return out;
}

// The address of the form with all that a gate was evaluated with. It also has the values that are
// defaults now, because those may change.
export function repeatUrl(gate) {
	const {policy} = gate;
	// An earlier release stored only those of the head.
	const given = gate.given ?? gate;
	const shown = (value) => (value === null || value === undefined ? '' : String(value));
	const values = {
		base: gate.base.query,
		head: gate.head.query,
		name: gate.name,
		project: shown(given.project),
		workload: shown(given.workload),
		anchor: shown(gate.anchor?.query),
		unit: shown(policy.unit),
		range: shown(policy.range),
		reject_on: policy.reject_on.join(),
		fail_on: policy.fail_on.join(),
		operators: operatorsText(policy.operators),
		measures: measuresText(policy.measures),
		...Object.fromEntries(NUMBERS.map(([key]) => [key, shown(policy[key])])),
	};
	const params = Object.entries(values).map(([key, value]) => [formParam(key), value]);
	return `/gates?${f.query(new URLSearchParams(params))}`;
}
