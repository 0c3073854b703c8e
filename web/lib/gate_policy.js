// gate_policy.js - the words of gates: outcomes, rules, how much the data lack; where a
// change lies beside its limit; a form as the question it asks. Pure.

import * as f from './format.js';

// In the order in which they matter; a mark beside each word, since nothing is
// told by colour alone.
export const OUTCOMES = {
	regressed: {mark: '▲', text: 'regressed', what: 'slower than the limit allows, and proved'},
	bad_data: {mark: '!', text: 'bad data', what: 'the data lack what was demanded'},
	undecided: {mark: '?', text: 'undecided', what: 'neither shown to be within the limits nor beyond them'},
	pass: {mark: '✓', text: 'pass', what: 'within every limit'},
};

const RULES = {cycle: 'Cycle', operator: 'Operator', headroom: 'Headroom', function: 'Function'};
export const ruleKind = (rule) => RULES[rule.rule] ?? rule.rule;
export const ruleName = (rule) =>
	[rule.of ?? ruleKind(rule), rule.device ? `on ${rule.device}` : ''].filter(Boolean).join(' ');

const signed = (pct) => `${pct < 0 ? '−' : '+'}${f.count(Math.abs(pct), 1)} %`;
export const percent = (pct) => (pct === null ? f.NONE : signed(pct));
export const intervalText = (rule) =>
	rule.low_pct === null || rule.high_pct === null ? f.NONE : `${signed(rule.low_pct)} to ${signed(rule.high_pct)}`;

// How many runs of the head would decide.
export function runsNeededText(n) {
	if (n === -1) return 'the baseline is too small';
	return n ? f.plural(n, 'run') : f.NONE;
}

// Where a rule's change, its interval and its limit lie, 0 to 1, on one axis for
// all: from as far below zero to as far above it as the farthest of them, but no
// farther than ten times the largest limit; what is beyond ends at its edge.
export function axisReach(rules) {
	const far = rules
		.flatMap((r) => [r.change_pct, r.low_pct, r.high_pct])
		.filter((v) => v !== null)
		.map(Math.abs);
	const limit = Math.max(0, ...rules.map((r) => r.limit_pct ?? 0));
	return Math.max(Math.min(Math.max(0, ...far), Math.max(10 * limit, 20)), 1.5 * limit, 1);
}
export function barPositions(rule, most) {
	const at = (v) => (v === null ? null : Math.min(1, Math.max(0, (v + most) / (2 * most))));
	return {at: at(rule.change_pct), from: at(rule.low_pct), to: at(rule.high_pct), limit: at(rule.limit_pct)};
}

// "#1, #2 and 10 more"
export function runsText(ids, most = 8) {
	const shown = ids
		.slice(0, most)
		.map((id) => `#${id}`)
		.join(', ');
	return ids.length > most ? `${shown} and ${f.count(ids.length - most)} more` : shown;
}

const WORD = /\s*(?:([a-z]+(?:\.[^\s=]+)?)(?:=(?:"((?:[^"\\]|\\.)*)"|((?!")\S*)))?)\s*/y;

// A side as it is typed: {ids} where it names runs or jobs, {words, last} where it is
// a query, {} where it is neither; the server has the last word.
export function parseSide(text) {
	const side = text.trim();
	if (/^(job:)?\d+(\s*,\s*(job:)?\d+)*$/.test(side)) return {ids: side.split(/\s*,\s*/)};
	const words = {};
	WORD.lastIndex = 0;
	while (side && WORD.lastIndex < side.length) {
		const found = WORD.exec(side);
		if (!found) return {};
		const [, key, quoted, plain] = found;
		words[key] = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
	}
	const {last, latest, ...rest} = words;
	return side ? {words: rest, last: last === undefined ? 1 : Number(last)} : {};
}

// "attention=5, gemm=3" -> the limits of operators; throws with a sentence.
function operatorLimits(text) {
	return Object.entries(f.labels(text)).map(([operator, pct]) => {
		if (!(Number(pct) >= 0) || pct === '')
			throw new Error(`the limit of operator '${operator}' is '${pct}', which is no number`);
		return {operator, pct: Number(pct)};
	});
}

// Of a form: word, label, what the server takes without it, its hint.
export const NUMBERS = [
	['cycle_pct', 'Cycle, %', 2, 'no slower than by so much; empty: no rule'],
	['headroom_pct', 'Headroom, points', null, "of the cycle's time"],
	['share_pct', 'Functions, %', 1, 'a change of less of the cycle is let pass'],
	['least_runs', 'Least runs', 1, 'of either side'],
	['least_cycles', 'Least cycles', 4, 'of each run'],
	['least_coverage_pct', 'Least coverage, %', 0, "cycles' part of the GPU time"],
	['least_attributed_pct', 'Least attributed, %', 0, 'of the GPU time'],
	['alpha', 'Alpha', 0.01, 'how often a head that is alike may be accused'],
];
const TEXTS = ['base', 'head', 'name', 'project', 'workload'];
export const FAIL_ON = ['regressed', 'appeared', 'likely', 'vanished', 'improved'];
const DEFAULT_FAIL_ON = ['regressed', 'appeared'];

// The question of the form's texts, or throws with a sentence. What is as the server
// has it anyway is left out; the cycle's rule alone can be taken away.
export function gateRequest(form) {
	const out = {};
	for (const key of TEXTS) if (form[key]) out[key] = form[key];
	for (const [key, label, usual] of NUMBERS) {
		const text = form[key] ?? '';
		if (text === '' && key === 'cycle_pct') out[key] = null;
		if (text === '' || Number(text) === usual) continue;
		if (!Number.isFinite(Number(text))) throw new Error(`${label}: '${text}' is no number`);
		out[key] = Number(text);
	}
	const operators = operatorLimits(form.operators ?? '');
	if (operators.length) out.operators = operators;
	const fail = FAIL_ON.filter((word) => form.fail_on.includes(word));
	if (fail.join() !== DEFAULT_FAIL_ON.join()) out.fail_on = fail;
	return out;
}
