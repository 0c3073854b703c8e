// perfetto.js - hands a trace to the Perfetto UI in a tab of its own, as told at
// perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui: say PING until it
// answers PONG, then post the bytes. They go from this tab to that one and to
// no server.

export const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 100;
const PATIENCE_MS = 60000;

// Resolves once the UI in `tab` listens; rejects where it is closed, or silent
// for too long. `host` is the window that opened it.
function ready(tab, host, {signal, patience = PATIENCE_MS} = {}) {
	return new Promise((resolve, reject) => {
		const until = host.performance.now() + patience;
		let timer = null;

		function over(settle, value) {
			host.clearInterval(timer);
			host.removeEventListener('message', heard);
			settle(value);
		}

		function heard(e) {
			if (e.source === tab && e.origin === PERFETTO && e.data === 'PONG') over(resolve);
		}

		// To any origin, because until it is loaded the tab is still ours, and
		// this word is no secret; the trace goes to PERFETTO alone.
		function ping() {
			if (signal?.aborted) over(reject, signal.reason);
			else if (tab.closed)
				over(reject, new Error('the tab with the Perfetto UI was closed before it had the trace'));
			else if (host.performance.now() > until)
				over(
					reject,
					new Error(
						`${PERFETTO} did not answer; is it reachable from here? ` +
							'The trace can be downloaded and opened there by hand',
					),
				);
			else tab.postMessage('PING', '*');
		}

		host.addEventListener('message', heard);
		timer = host.setInterval(ping, PING_MS);
		ping();
	});
}

// Whether the tab has left our blank page: another's address may not be read.
function gone(tab) {
	try {
		return tab.location.href !== 'about:blank';
	} catch {
		return true;
	}
}

// Closes a tab once it is where it was sent, or never gets there. Chromium loses
// a close that meets the change of page, and heeds none after it.
function shut(tab, host, patience = PATIENCE_MS) {
	const until = host.performance.now() + patience;
	const timer = host.setInterval(() => {
		if (!tab.closed && !gone(tab) && host.performance.now() < until) return;
		host.clearInterval(timer);
		tab.close();
	}, PING_MS);
}

// Opens the UI at once, which a browser allows within a press of a button and
// not later, and gives it what load(signal) brings, an ArrayBuffer. Without
// noopener: the handle is what the messages go through.
export async function show(load, {title, fileName, url}, {host = window, signal, patience} = {}) {
	const tab = host.open(PERFETTO);
	if (tab === null)
		throw new Error(
			'the browser did not let the page open a tab; allow pop-ups for this site, ' +
				'or download the trace and open it in the Perfetto UI',
		);
	const stop = new AbortController();
	signal?.addEventListener('abort', () => stop.abort(), {signal: stop.signal});
	try {
		const [buffer] = await Promise.all([load(stop.signal), ready(tab, host, {signal: stop.signal, patience})]);
		tab.postMessage({perfetto: {buffer, title, fileName, url}}, PERFETTO, [buffer]);
	} catch (error) {
		shut(tab, host, patience);
		throw error;
	} finally {
		stop.abort();
	}
}
