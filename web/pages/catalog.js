// catalogue.js - what is known about kernels, operators and hardware, and what an
// installation adds to it: rules and the test of them, operators, platforms,
// what no rule knows, reference sets.

import {h} from '../dom.js';
import {showFailure} from '../news.js';
import {tabs} from '../tabs.js';
import {operatorsTab, platformsTab} from './catalogue_lists.js';
import {rulesTab} from './catalogue_rules.js';
import {setsTab} from './catalogue_sets.js';
import {unattributedTab} from './catalogue_unattributed.js';

const PARTS = [
	['operators', 'Operators', operatorsTab],
	['rules', 'Rules', rulesTab],
	['platforms', 'Platforms', platformsTab],
	['unattributed', 'Unattributed', unattributedTab],
	['sets', 'Reference sets', setsTab],
];

function clear(at, tab) {
	const gone = [...new URLSearchParams(location.search).keys()].map((key) => [key, '']);
	at.keep({...Object.fromEntries(gone), tab: tab === PARTS[0][0] ? '' : tab});
}

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const parts = await tabs({label: 'Parts of the catalogue', chosen, leave: (tab) => clear(at, tab),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({id, label, href: id === PARTS[0][0] ? '/catalogue' : `/catalogue?tab=${id}`,
			load: () => load(id === chosen ? query : new URLSearchParams(), at)}))});
	view.append(h('h1', {}, 'Catalogue'),
		h('p', {class: 'hint wide-text'}, 'What names of kernels and operators stand for, what operators must do, and what hardware can. ',
			'It comes with the program; what is added here stands before it, and holds for what is sent from then on.'),
		...parts);
	return 'Catalogue';
}
