// sure.js - a button for what cannot be undone: the first press asks, the second
// does it. Leaving it takes the first one back.

import {h} from './dom.js';

export function sureButton(text, question, label, act) {
	let sure = false;
	const button = h('button', {type: 'button', 'aria-label': label, on: {
		click: () => {
			if (sure)
				return act();
			become(true);
		},
		blur: () => become(false),
	}}, text);

	// What it asks is its name as long as it asks.
	function become(asking) {
		sure = asking;
		button.textContent = asking ? question : text;
		button.setAttribute('aria-label', asking ? `${question} ${label}` : label);
	}

	return button;
}
