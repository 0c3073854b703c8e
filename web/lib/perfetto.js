// perfetto.js - opens a trace in the Perfetto UI in a new tab. It follows
// perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui: it sends PING until the UI answers
// PONG, then posts the bytes. The bytes are sent from this tab to the new tab, and to no server.

// The UI where the server does not name another (--perfetto-url, --perfetto-dir).
export const PERFETTO = 'https://ui.perfetto.dev';
let ui = PERFETTO;

// Sets the address that the server named: absolute, or a path of the server. One that this browser
// cannot read, such as a port above 65535, is ignored.
export function useAddress(url) {
	try {
		new URL(url || PERFETTO, PERFETTO);
		ui = url || PERFETTO;
	} catch {
		ui = PERFETTO;
	}
}

// The address of the UI, the origin to which a trace is posted, and its host for readers.
export function address(base = globalThis.location?.href) {
	const url = new URL(ui, base ?? PERFETTO);
	return {href: ui, origin: url.origin, host: url.host};
}

const PING_MS = 100;
const PATIENCE_MS = 60000;

// Resolves when the UI in `tab` is ready; rejects if the tab is closed or does not answer
// within `patience`. `host` is the window that opened it.
function ready(tab, host, origin, {signal, patience = PATIENCE_MS} = {}) {
	return new Promise((resolve, reject) => {
		const until = host.performance.now() + patience;
		let timer = null;

		function settle(callback, value) {
			host.clearInterval(timer);
			host.removeEventListener('message', onMessage);
			callback(value);
		}

		function onMessage(e) {
			if (e.source === tab && e.origin === origin && e.data === 'PONG') settle(resolve);
		}

		// PING is sent to any origin, because the tab has our origin until the UI has
		// loaded. PING is no secret; the trace is only sent to the origin of the UI.
		function ping() {
			if (signal?.aborted) settle(reject, signal.reason);
			else if (tab.closed)
				settle(reject, new Error('the tab with the Perfetto UI was closed before the trace was sent'));
			else if (host.performance.now() > until)
				settle(
					reject,
					new Error(
						`${origin} did not answer; check that this browser can reach it. ` +
							'Or download the trace and open it there',
					),
				);
			else tab.postMessage('PING', '*');
		}

		host.addEventListener('message', onMessage);
		timer = host.setInterval(ping, PING_MS);
		ping();
	});
}

// Whether the tab has left the blank page: the address of another origin cannot be read.
function hasNavigated(tab) {
	try {
		return tab.location.href !== 'about:blank';
	} catch {
		return true;
	}
}

// Closes a tab after it has navigated, or after `patience`. The reason to wait: if a tab is closed
// during navigation, Chromium ignores this close and every later one.
function closeTab(tab, host, patience = PATIENCE_MS) {
	const until = host.performance.now() + patience;
	const timer = host.setInterval(() => {
		if (!tab.closed && !hasNavigated(tab) && host.performance.now() < until) return;
		host.clearInterval(timer);
		tab.close();
	}, PING_MS);
}

// Opens the UI immediately, because a browser allows a new tab only during a click. Then sends to
// it the ArrayBuffer that load(signal) returns. It does not use noopener, because the messages need
// the handle of the new tab.
export async function show(load, {title, fileName, url}, {host = window, signal, patience} = {}) {
	const {href, origin} = address(host.location?.href);
	const tab = host.open(href);
	if (tab === null)
		throw new Error(
			'the browser blocked the new tab; allow pop-ups for this site, ' +
				'or download the trace and open it in the Perfetto UI',
		);
	const stop = new AbortController();
	signal?.addEventListener('abort', () => stop.abort(), {signal: stop.signal});
	try {
		const [buffer] = await Promise.all([load(stop.signal), ready(tab, host, origin, {signal: stop.signal, patience})]);
		tab.postMessage({perfetto: {buffer, title, fileName, url}}, origin, [buffer]);
	} catch (error) {
		closeTab(tab, host, patience);
		throw error;
	} finally {
		stop.abort();
	}
}
