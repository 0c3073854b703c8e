// gate.js - /gates/7: what one gate says: its outcome and sentence, what the data
// lacked, its rules, and the ways to the runs behind it.

import * as api from '../api_history.js';
import {facts, h, tags} from '../dom.js';
import * as f from '../format.js';
import {needed} from '../gates.js';
import {sentence} from '../layers.js';
import {outcome, runLinks} from './gate_parts.js';
import {policyFacts, rulesList} from './gate_rules.js';
import {fileLink} from './run_columns.js';

const FILES = [['Markdown', 'md', 'md'], ['JUnit', 'junit', 'xml'], ['JSON', 'json', 'json'], ['Badge', 'svg', 'svg']];

const SEVERITIES = {refuse: 'Refused', warn: 'Warning', info: 'Info'};

function downloads(gate) {
	return h('div', {class: 'toolbar'}, h('h2', {}, 'Rules'), h('span', {class: 'links'}, FILES.map(([text, format, end]) =>
		fileLink(text, api.gateFile(gate.id, format), `gate-${gate.id}.${end}`))));
}

function side(label, word, {asked, runs, units, cycles, labels}) {
	return h('section', {class: `side-card ${word}`}, h('h2', {}, label), h('p', {}, h('code', {}, asked)), runLinks(runs),
		h('p', {class: 'quiet'}, `${f.plural(units, 'unit')}, ${f.plural(cycles, 'cycle')}`), tags(labels));
}

const lacking = (gate) => gate.shortfalls.length > 0 && h('div', {class: 'banner'}, h('h2', {}, 'What the data lack'),
	h('ul', {}, gate.shortfalls.map(({message}) => h('li', {}, sentence(message)))));

const findings = (gate) => gate.findings.length > 0 && h('section', {class: 'notes', 'aria-labelledby': 'found'}, h('h2', {id: 'found'}, 'What differs around the numbers'),
	h('ul', {}, gate.findings.map(({severity, message}) => h('li', {}, h('span', {class: `severity ${severity === 'refuse' ? 'error' : severity}`}, SEVERITIES[severity]), h('span', {}, sentence(message))))));

// The newest gate of the same work, as a picture for a README.
function badgeLine(gate) {
	const where = new URL(api.badge({project: gate.project, workload: gate.workload, name: gate.name}), location.origin);
	return h('details', {class: 'more'}, h('summary', {}, 'A badge for a README'),
		h('pre', {tabindex: '0', 'aria-label': 'Markdown of the badge'}, h('code', {}, `![kernsift](${where})`)));
}

export async function page(view, query, at) {
	const gate = await api.gate(at.id, at.signal);
	const title = gate.name || `gate ${gate.id}`;
	const again = new URLSearchParams({base: gate.base.asked, head: gate.head.asked});
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/gates'}, 'Gates'), ` / ${title}`),
		h('div', {class: 'title'}, outcome(gate.outcome), h('h1', {class: 'headline'}, sentence(gate.sentence))),
		lacking(gate) || '',
		facts([['Project', gate.project], ['Workload', gate.workload], ['Asked by', gate.who], ['Asked', h('time', {datetime: gate.created_at}, f.moment(gate.created_at))],
			['Would decide', gate.runs_needed > 0 ? `${needed(gate.runs_needed)} of the head, in all` : gate.runs_needed ? `no number of runs; ${needed(gate.runs_needed)}` : null]]),
		h('div', {class: 'side-cards gate-sides'}, side('Baseline', 'base', gate.base), side('Head', 'head', gate.head)),
		h('div', {class: 'line'}, h('a', {class: 'button', href: gate.compare}, 'Compare both sides'),
			h('a', {class: 'button plain', href: `/gates?${f.query(again)}`}, 'Ask again')),
		downloads(gate), rulesList(gate, query, at), findings(gate) || '', policyFacts(gate.policy), badgeLine(gate));
	return title;
}
