// tabs.js - tabs of a page. Each tab is a link, so that it can be shared or opened in a new
// window; arrow keys move between them.

import {h} from './dom.js';

// A part: {id, label, href, load() -> {node, save()}}. A part is loaded when it is first shown.
// Whenever a part is shown, leave(id) removes the state of the other parts from the address, and
// save() writes the state of this part.
export async function tabs({label, parts, chosen, leave, failed}) {
	const loaded = new Map();
	const panel = h('div', {role: 'tabpanel', id: 'panel', class: 'panel'});
	const links = parts.map((part) =>
		h(
			'a',
			{
				role: 'tab',
				id: `tab-${part.id}`,
				href: part.href,
				'aria-controls': 'panel',
				on: {click: (e) => onClick(e, part), keydown},
			},
			part.label,
		),
	);
	let wanted = null;

	function onClick(e, part) {
		if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
		e.preventDefault();
		choose(part).catch((error) => failed(error, () => onClick(e, part)));
	}

	function keydown(e) {
		const at = links.indexOf(e.currentTarget);
		const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1, ' ': at}[e.key];
		if (to === undefined) return;
		e.preventDefault();
		const link = links[(to + links.length) % links.length];
		link.focus();
		link.click();
	}

	function mark(part) {
		parts.forEach((p, i) => {
			links[i].setAttribute('aria-selected', p === part);
			links[i].setAttribute('tabindex', p === part ? 0 : -1);
		});
		panel.setAttribute('aria-labelledby', `tab-${part.id}`);
	}

	// If another tab is clicked during loading, that tab is shown.
	async function choose(part) {
		const before = wanted;
		wanted = part;
		mark(part);
		panel.setAttribute('aria-busy', 'true');
		try {
			if (!loaded.has(part)) loaded.set(part, await part.load());
		} catch (error) {
			if (wanted === part && before) {
				wanted = before;
				mark(before);
			}
			throw error;
		} finally {
			panel.removeAttribute('aria-busy');
		}
		if (wanted !== part) return;
		const {node, save} = loaded.get(part);
		leave(part.id);
		panel.replaceChildren(node);
		save?.();
	}

	await choose(parts.find((p) => p.id === chosen) ?? parts[0]);
	return [h('div', {role: 'tablist', 'aria-label': label, class: 'tabs'}, links), panel];
}
