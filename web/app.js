// app.js - the address decides the page. Links within the site are followed
// without loading anew; the focus goes to the new page's heading.

import {h} from './lib/dom.js';
import {query} from './lib/format.js';
import {announce, clearFailure, showFailure} from './lib/notices.js';
import {showHeader} from './lib/session.js';
import * as breakdown from './pages/breakdown.js';
import * as catalog from './pages/catalog.js';
import * as compare from './pages/compare.js';
import * as gate from './pages/gate.js';
import * as gates from './pages/gates.js';
import * as importance from './pages/importance.js';
import * as job from './pages/job.js';
import * as jobs from './pages/jobs.js';
import * as run from './pages/run.js';
import * as runs from './pages/runs.js';
import * as settings from './pages/settings.js';
import * as trends from './pages/trends.js';
import * as uploads from './pages/uploads.js';

const PAGES = [
	[/^\/(?:runs\/?)?$/, runs],
	[/^\/runs\/(\d+)$/, run],
	[/^\/compare\/?$/, compare],
	[/^\/breakdown\/?$/, breakdown],
	[/^\/importance\/?$/, importance],
	[/^\/catalogue\/?$/, catalog],
	[/^\/jobs\/?$/, jobs],
	[/^\/jobs\/(\d+)$/, job],
	[/^\/trends\/?$/, trends],
	[/^\/gates\/?$/, gates],
	[/^\/gates\/(\d+)$/, gate],
	[/^\/uploads\/?$/, uploads],
	[/^\/settings\/?$/, settings],
];

const main = document.getElementById('main');
let leave = new AbortController();

// The query of the address, changed in place: the view becomes a link without
// a step in the history. Empty values go.
function keepQuery(changes) {
	const url = new URL(location.href);
	for (const [key, value] of Object.entries(changes)) {
		if (value === null || value === undefined || value === '' || value === false) url.searchParams.delete(key);
		else url.searchParams.set(key, value);
	}
	url.search = query(url.searchParams);
	history.replaceState(null, '', url);
}

function markNavigation(path) {
	for (const link of document.querySelectorAll('header nav a, #who')) {
		const here = link.pathname === path || (link.pathname === '/runs' && path === '/');
		const within = path.startsWith(`${link.pathname}/`);
		if (here || within) link.setAttribute('aria-current', here ? 'page' : 'true');
		else link.removeAttribute('aria-current');
	}
}

function notFound(view) {
	view.append(
		h('h1', {}, 'No such page'),
		h('p', {}, 'There is nothing at this address. ', h('a', {href: '/runs'}, 'All runs'), '.'),
	);
	return 'No such page';
}

// A page is `async page(view, query, at)` and answers its title; `at` has id,
// signal (aborted on leaving), keep(), go(). It fills a place of its own, so
// that one overtaken by the next writes nowhere.
async function show({moved}) {
	leave.abort();
	leave = new AbortController();
	const {signal} = leave;
	const [pattern, {page}] = PAGES.find(([p]) => p.test(location.pathname)) ?? [/^/, {page: notFound}];
	const at = {
		id: location.pathname.match(pattern)[1],
		signal,
		go,
		keep: (changes) => signal.aborted || keepQuery(changes),
	};
	const view = h('div', {class: 'page'}, h('p', {class: 'loading'}, 'Loading…'));
	const own = h('div', {class: 'page'});
	let title = 'Failed';

	clearFailure();
	markNavigation(location.pathname);
	main.replaceChildren(view);
	main.setAttribute('aria-busy', 'true');
	try {
		title = await page(own, new URLSearchParams(location.search), at);
	} catch (error) {
		if (signal.aborted) return;
		own.replaceChildren(
			h('h1', {}, 'This page could not be shown'),
			h('p', {}, h('a', {href: '/runs'}, 'All runs')),
		);
		showFailure(error, () => show({moved: true}));
	}
	if (signal.aborted) return;
	main.replaceChildren(own);
	main.removeAttribute('aria-busy');
	document.title = `${title} · kernsift`;
	if (moved) {
		const heading = own.querySelector('h1');
		heading.setAttribute('tabindex', '-1');
		heading.focus();
		announce(`${title}, page shown`);
	}
}

// As a browser follows a link: to where it is already, without a step in the history.
function go(to) {
	const step = new URL(to, location.href).href === location.href ? 'replaceState' : 'pushState';
	history[step](null, '', to);
	window.scrollTo(0, 0);
	return show({moved: true});
}

document.addEventListener('click', (e) => {
	const link = e.target.closest('a');
	const plain = e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey;
	if (
		!link ||
		!plain ||
		e.defaultPrevented ||
		link.origin !== location.origin ||
		link.hasAttribute('download') ||
		link.target ||
		link.pathname.startsWith('/api/')
	)
		return;
	if (link.getAttribute('href').startsWith('#')) {
		e.preventDefault();
		document.getElementById(link.hash.slice(1))?.focus();
		return;
	}
	e.preventDefault();
	go(link.href);
});

window.addEventListener('popstate', () => show({moved: true}));
showHeader();
show({moved: false});
