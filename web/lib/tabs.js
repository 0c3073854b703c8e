// tabs.js - parts of a page, one seen at a time. Each is a link, so that it can
// be sent or opened beside; arrows move between them.

import {h} from './dom.js';

// A part: {id, label, href, load() -> {node, save()}}. It is loaded when it is
// first seen; save() puts its view in the address whenever it comes to the
// front, after `leave(id)` has cleared what another part had there.
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
				on: {click: (e) => press(e, part), keydown},
			},
			part.label,
		),
	);
	let wanted = null;

	function press(e, part) {
		if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
		e.preventDefault();
		choose(part).catch((error) => failed(error, () => press(e, part)));
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

	// Whoever presses another one meanwhile gets that one.
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
