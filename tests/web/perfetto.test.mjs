// perfetto.test.mjs - tests the handshake with the Perfetto UI.
//
// A stub tab and a stub host replace the browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import {address, PERFETTO, show, useAddress} from '../../web/lib/perfetto.js';

// Returns a tab that answers the n-th PING (0: none) from `origin`, and a host whose clock
// advances 10 s per timer tick.
function stage({answers = 3, origin = PERFETTO, closes = 0, blocked = false} = {}) {
	const received = [];
	const listeners = new Set();
	let now = 0;
	let ticks = 0;
	const say = (e) => [...listeners].forEach((l) => l(e));
	const tab = {
		closed: false,
		close() { this.closed = true; },
		postMessage(data, to, transfer) {
			received.push({data, to, transfer});
			if (data === 'PING' && received.length === answers)
				say({source: tab, origin, data: 'PONG'});
		},
	};
	const host = {
		opened: [],
		open(...args) { this.opened.push(args); return blocked ? null : tab; },
		addEventListener: (_, l) => listeners.add(l),
		removeEventListener: (_, l) => listeners.delete(l),
		performance: {now: () => now},
		setInterval: (call) => setInterval(() => {
			now += 10000;
			tab.closed ||= ++ticks === closes;
			call();
		}, 1),
		clearInterval,
	};
	return {tab, host, received, listeners, say};
}

const NAME = {title: 'a run', fileName: 'run-7.json', url: 'http://127.0.0.1/runs/7'};
async function until(holds, what) {
	for (const end = Date.now() + 60000; !holds(); await new Promise((resolve) => setTimeout(resolve, 5)))
		assert.ok(Date.now() < end, what);
}

const bytes = () => Promise.resolve(new Uint8Array([1, 2, 3]).buffer);

test('PING until PONG, then the trace, to that origin only', async () => {
	const {tab, host, received, listeners} = stage({answers: 3});
	await show(bytes, NAME, {host});
	assert.deepEqual(host.opened, [[PERFETTO]], 'one tab, and no word that would cut its handle');
	assert.deepEqual(received.slice(0, -1).map((m) => m.data), ['PING', 'PING', 'PING']);
	const {data, to, transfer} = received.at(-1);
	assert.equal(to, 'https://ui.perfetto.dev');
	assert.deepEqual(Object.keys(data), ['perfetto']);
	assert.deepEqual({...data.perfetto, buffer: [...new Uint8Array(data.perfetto.buffer)]},
		{buffer: [1, 2, 3], ...NAME});
	assert.deepEqual(transfer, [data.perfetto.buffer], 'transferred, not copied');
	assert.equal(listeners.size, 0, 'no listener is left');
	assert.equal(tab.closed, false);
});

test('the address of another installation', async () => {
	useAddress('https://perfetto.corp/v50');
	const {host, received} = stage({answers: 1, origin: 'https://perfetto.corp'});
	await show(bytes, NAME, {host});
	assert.deepEqual(host.opened, [['https://perfetto.corp/v50']]);
	assert.equal(received.at(-1).to, 'https://perfetto.corp');
	useAddress('');
});

test('a copy below a path of the server: the trace is posted to the own origin', async () => {
	useAddress('/perfetto/');
	const {host, received} = stage({answers: 1, origin: 'http://127.0.0.1:8080'});
	host.location = {href: 'http://127.0.0.1:8080/runs/7'};
	await show(bytes, NAME, {host});
	assert.deepEqual(host.opened, [['/perfetto/']]);
	assert.equal(received.at(-1).to, 'http://127.0.0.1:8080');
	assert.equal(address('http://127.0.0.1:8080/').host, '127.0.0.1:8080');
	useAddress('https://perfetto.corp:99999');
	assert.equal(address().href, PERFETTO);
	useAddress('');
});

test('a PONG of another page, or from another window, is ignored', async () => {
	const {host, received, say} = stage({answers: 1, origin: 'https://elsewhere.example'});
	const over = show(bytes, NAME, {host, patience: 50000});
	say({source: {}, origin: PERFETTO, data: 'PONG'});
	await assert.rejects(over, /did not answer/);
	assert.ok(received.every((m) => m.data === 'PING'), 'no trace was sent');
});

// [case, stage, load, message]
const FAILURES = [
	['a blocked tab', {blocked: true}, bytes, 'the browser blocked the new tab; allow pop-ups for this '
		+ 'site, or download the trace and open it in the Perfetto UI'],
	['a tab that never answers', {answers: 0}, bytes, 'https://ui.perfetto.dev did not answer; check that this browser can reach it. '
		+ 'Or download the trace and open it there'],
	['a tab that is closed', {answers: 0, closes: 2}, bytes,
		'the tab with the Perfetto UI was closed before the trace was sent'],
	['a trace that cannot be fetched', {answers: 0}, () => Promise.reject(new Error('no run 8')), 'no run 8'],
];
for (const [what, how, fetch, message] of FAILURES)
	test(`fails with a message: ${what}`, async () => {
		const {tab, host, listeners} = stage(how);
		await assert.rejects(show(fetch, NAME, {host}), {message});
		await until(() => how.blocked || tab.closed, 'the tab does not stay behind');
		assert.equal(listeners.size, 0);
	});

test('a tab that is still loading the UI is closed once it is loaded', async () => {
	const {tab, host} = stage({answers: 0});
	tab.location = {href: 'about:blank'};
	await assert.rejects(show(() => Promise.reject(new Error('no run 8')), NAME, {host, patience: 1e9}), {message: 'no run 8'});
	await new Promise((resolve) => setTimeout(resolve, 20));
	assert.equal(tab.closed, false);
	Object.defineProperty(tab.location, 'href', {get() { throw new Error('another origin'); }});
	await until(() => tab.closed, 'it stays behind');
});

test('a tab that never loads the UI is closed after the timeout', async () => {
	const {tab, host} = stage({answers: 0});
	tab.location = {href: 'about:blank'};
	await assert.rejects(show(() => Promise.reject(new Error('no run 8')), NAME, {host, patience: 50000}), {message: 'no run 8'});
	await until(() => tab.closed, 'it stays behind');
});

test('leaving the page cancels both the fetch and the wait', async () => {
	const {tab, host} = stage({answers: 0});
	const leave = new AbortController();
	let stopped = false;
	const fetch = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => {
		stopped = true;
		reject(signal.reason);
	}));
	const over = show(fetch, NAME, {host, signal: leave.signal});
	leave.abort();
	await assert.rejects(over, {name: 'AbortError'});
	await until(() => stopped && tab.closed, 'the tab does not stay behind');
});
