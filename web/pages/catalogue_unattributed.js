// catalogue_unattributed.js - tab: the kernels that nothing knows, over all runs,
// most time first.

import * as api from '../api.js';
import {h} from '../dom.js';
import {listing} from '../listing.js';
import {kernelColumns} from './operator_kernels.js';

const LIMIT = 500;

export async function unattributedTab(query, at) {
	const {items} = await api.unattributed({limit: LIMIT}, at.signal);
	const shown = listing({caption: 'Unattributed kernels', columns: kernelColumns(items), rows: items, query, usual: 'total', what: 'kernel', at,
		text: (r) => r.name, empty: 'Every kernel that was sent has an operator.'});
	return {save: shown.save, node: h('div', {class: 'part'},
		h('p', {class: 'hint'}, 'No annotation, operator or rule tells what these kernels do, over all runs. A rule for the first of them explains most. ',
			items.length === LIMIT ? `The ${LIMIT} with most time are shown.` : ''), shown.node)};
}
