// app.js - shows the page of the current address. Links within the site are followed without a
// reload; the focus moves to the heading of the new page.

import {h} from './lib/dom.js';
import {query} from './lib/format.js';
import {listenForKeys} from './finding/keys.js';
import {lateScript} from './lib/late_script.js';
import {announce, clearFailure, showFailure} from './lib/notices.js';
import {scopeAfter, scopedUrl} from './lib/scope.js';
import {showHeader} from './lib/session.js';
import * as compare from './pages/compare.js';
import * as devices from './pages/devices.js';
import * as gate from './pages/gate.js';
import * as gates from './pages/gates.js';
import * as home from './pages/home.js';
import * as importance from './pages/importance.js';
import * as job from './pages/job.js';
import * as jobs from './pages/jobs.js';
import * as run from './pages/run.js';
import * as runs from './pages/runs.js';
import * as trends from './pages/trends.js';
import * as uploads from './pages/uploads.js';

// A page of the script that is loaded when it is needed.
const late = (name) => ({page: async (...args) => (await lateScript()).PAGES[name].page(...args)});

// Addresses, their pages, and the section of the help page that describes each.
const PAGES = [
	[/^\/$/, home, 'home'],
	[/^\/runs\/?$/, runs, 'runs'],
	[/^\/runs\/(\d+)$/, run, 'run'],
	[/^\/compare\/?$/, compare, 'compare'],
	[/^\/breakdown\/?$/, late('breakdown'), 'breakdown'],
	[/^\/importance\/?$/, importance, 'importance'],
	[/^\/devices\/?$/, devices, 'devices'],
	[/^\/catalog\/?$/, late('catalog'), 'catalog'],
	[/^\/jobs\/?$/, jobs, 'jobs'],
	[/^\/jobs\/(\d+)$/, job, 'jobs'],
	[/^\/trends\/?$/, trends, 'trends'],
	[/^\/gates\/?$/, gates, 'gates'],
	[/^\/gates\/(\d+)$/, gate, 'gates'],
	[/^\/uploads\/?$/, uploads, 'uploads'],
	[/^\/settings\/?$/, late('settings'), 'settings'],
	[/^\/help\/?$/, late('help'), ''],
];

const main = document.getElementById('main');
let leave = new AbortController();
// Project, workload and time range of the last page that filtered by them.
let scope = {};

// Reads the scope from the address, and adds it to the links of the navigation.
function carryScope() {
	scope = scopeAfter(scope, location.pathname, new URLSearchParams(location.search));
	for (const link of document.querySelectorAll('header nav a, header .brand'))
		link.setAttribute('href', scopedUrl(link.pathname, scope));
}

// Changes the query of the address in place, without an entry in the browser's history. Empty
// values are removed.
function keepQuery(changes) {
	const url = new URL(location.href);
	for (const [key, value] of Object.entries(changes)) {
		if (value === null || value === undefined || value === '' || value === false) url.searchParams.delete(key);
		else url.searchParams.set(key, value);
	}
	url.search = query(url.searchParams);
	history.replaceState(null, '', url);
	carryScope();
}

// Marks the link of the current page, and points the help link at its section.
function markNavigation(path, helpSection) {
	document.getElementById('help').setAttribute('href', helpSection ? `/help#${helpSection}` : '/help');
	for (const link of document.querySelectorAll('header nav a, #help, #who')) {
		const here = link.pathname === path;
		const within = path.startsWith(`${link.pathname}/`);
		if (here || within) link.setAttribute('aria-current', here ? 'page' : 'true');
		else link.removeAttribute('aria-current');
	}
}

function notFound(view) {
	view.append(
		h('h1', {}, 'No such page'),
		h('p', {}, 'The dashboard has no page at this address. ', h('a', {href: '/runs'}, 'All runs'), '.'),
	);
	return 'No such page';
}

// A page is `async page(view, query, at)` and returns its title; `at` has id, signal (aborted
// on leaving), keep() and go(). Each page fills its own element, so that a slow page does not
// write into the next one.
async function show({moved}) {
	leave.abort();
	leave = new AbortController();
	const {signal} = leave;
	const [pattern, {page}, helpSection] = PAGES.find(([p]) => p.test(location.pathname)) ?? [
		/^/,
		{page: notFound},
		'',
	];
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
	carryScope();
	markNavigation(location.pathname, helpSection);
	main.replaceChildren(view);
	main.setAttribute('aria-busy', 'true');
	try {
		title = await page(own, new URLSearchParams(location.search), at);
	} catch (error) {
		if (signal.aborted) return;
		own.replaceChildren(
			h('h1', {}, 'This page could not be loaded'),
			h('p', {}, h('a', {href: '/runs'}, 'All runs')),
		);
		showFailure(error, () => show({moved: true}));
	}
	if (signal.aborted) return;
	main.replaceChildren(own);
	main.removeAttribute('aria-busy');
	document.title = `${title} · kernsift`;
	const linked = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (linked) linked.scrollIntoView();
	if (moved) {
		const heading = linked || own.querySelector('h1');
		heading.setAttribute('tabindex', '-1');
		heading.focus();
		announce(`${title}, page loaded`);
	}
}

// Follows a link: a link to the current address adds no history entry.
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
listenForKeys();
show({moved: false});
