// term.js - the tooltip of a column heading: what the term means, with a link to the help page. It
// is shown while the pointer moved onto the heading or the focus is on it, and Escape closes it. The
// link is reached with the key ↓, so that a heading is at most one stop of the Tab order.

import {h} from '../lib/dom.js';
import {meaningOf} from './glossary.js';

// Time for which the pointer rests on a heading before the tooltip is shown.
const REST_MS = 300;
const MARGIN_PX = 8;

let shown = null;
let number = 0;

function hide() {
	if (!shown) return;
	const {tip, target} = shown;
	shown = null; // removing the focused link calls hide() again
	tip.remove();
	target.removeAttribute('aria-describedby');
}

function place(tip, heading) {
	const {left, bottom, top} = heading.getBoundingClientRect();
	const room = document.documentElement.clientWidth - tip.offsetWidth - MARGIN_PX;
	const below = bottom + tip.offsetHeight + MARGIN_PX <= window.innerHeight;
	tip.style.setProperty('left', `${Math.max(MARGIN_PX, Math.min(left, room))}px`);
	tip.style.setProperty('top', `${below ? bottom : Math.max(MARGIN_PX, top - tip.offsetHeight)}px`);
}

// The tooltip is in the heading, so that the pointer can move to its link, and in the top layer, so that
// the scrolling region does not cut it.
function show(heading, target, {term, meaning, id}) {
	if (shown?.heading === heading) return;
	hide();
	const text = `tip-${++number}`;
	const tip = h(
		'div',
		{class: 'tip', popover: 'manual'},
		h('span', {id: text}, meaning),
		' ',
		h('a', {href: `/help#${id}`, 'aria-label': `How to read ${term}`, tabindex: '-1'}, 'How to read this'),
	);
	heading.append(tip);
	tip.showPopover();
	document.addEventListener('scroll', hide, {capture: true, passive: true, once: true});
	place(tip, heading);
	target.setAttribute('aria-describedby', text);
	shown = {heading, target, tip};
}

// Adds the tooltip to a heading cell, if its label is a term. A heading that is no button can get
// the focus, too.
export function explain(heading, label) {
	const entry = meaningOf(label);
	if (!entry || !HTMLElement.prototype.showPopover) return heading;
	let target = heading.querySelector('button, a');
	if (!target) {
		target = h('span', {class: 'term', tabindex: '0'}, ...heading.childNodes);
		heading.append(target);
	}
	target.classList.add('term');
	let timer = null;
	// If the page changes under a resting pointer, browsers send pointerenter without pointermove.
	heading.addEventListener('pointermove', (e) => {
		if (e.pointerType !== 'mouse' || timer !== null) return;
		timer = setTimeout(() => heading.isConnected && show(heading, target, entry), REST_MS);
	});
	heading.addEventListener('pointerleave', () => {
		clearTimeout(timer);
		timer = null;
		if (shown?.heading === heading && !heading.contains(document.activeElement)) hide();
	});
	heading.addEventListener('focusin', () => {
		if (target.matches(':focus-visible')) show(heading, target, entry);
	});
	heading.addEventListener('focusout', (e) => {
		if (shown?.heading === heading && !heading.contains(e.relatedTarget)) hide();
	});
	heading.addEventListener('keydown', (e) => {
		if (shown?.heading !== heading) return;
		if (e.key === 'ArrowDown') {
			e.preventDefault();
			shown.tip.querySelector('a').focus();
		}
		if (e.key !== 'Escape') return;
		e.stopPropagation();
		target.focus();
		hide();
	});
	return heading;
}

// A term in a text, with its tooltip. `label` is the term if the text is another word for it.
export const termText = (text, label = text) => explain(h('span', {}, text), label);

// Adds tooltips to some facts of a list: `terms` maps their names to terms of the glossary. A fact that
// everybody knows gets none, because each is a stop of the Tab order.
export function explainFacts(list, terms) {
	for (const dt of list.querySelectorAll('dt')) explain(dt, terms[dt.textContent]);
	return list;
}

// Adds tooltips to the headings of rows that a page made itself.
export function explainRows(rows) {
	for (const cell of rows.flatMap((row) => [...row.children]))
		if (cell.matches('th[scope=col]')) explain(cell, (cell.firstChild?.textContent ?? '').trim());
	return rows;
}
