// settings.js - who asks, who may do what and did what, whom to tell, and what is
// kept how long.

import {h} from '../dom.js';
import {showFailure} from '../news.js';
import {tabs} from '../tabs.js';
import {auditTab} from './settings_audit.js';
import {retentionTab} from './settings_retention.js';
import {tokensTab} from './settings_tokens.js';
import {webhooksTab} from './settings_webhooks.js';
import {youTab} from './settings_you.js';

const PARTS = [
	['you', 'You', youTab],
	['tokens', 'Tokens', tokensTab],
	['webhooks', 'Webhooks', webhooksTab],
	['retention', 'Retention', retentionTab],
	['audit', 'Changes', auditTab],
];

const WORDS = ['who', 'project', 'cursor'];

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const clear = (tab) => at.keep({...Object.fromEntries(WORDS.map((word) => [word, ''])), tab: tab === PARTS[0][0] ? '' : tab});
	const parts = await tabs({label: 'Parts of the settings', chosen, leave: clear,
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({id, label, href: id === PARTS[0][0] ? '/settings' : `/settings?tab=${id}`,
			load: () => load(id === chosen ? query : new URLSearchParams(), at)}))});
	view.append(h('h1', {}, 'Settings'), ...parts);
	return 'Settings';
}
