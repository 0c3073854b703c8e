// world.mjs - starts what all steps share: a server, a browser, and strict pages.
//
// The server is real and uses a free port and the PostgreSQL of with-postgres. The browser is
// Chromium. Its pages fail on console output, script errors and policy violations.

import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {chromium} from 'playwright-core';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SOURCE = process.env.KERNSIFT_SRC ?? path.resolve(HERE, '../../..');
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

// The time limit for an expected state of a page. It is long because other cases load the
// machine; a page normally needs far less.
const PATIENCE_MS = 60000;

// What the first view of a page may load.
const FIRST_REQUESTS_MAX = 12;
const FIRST_BYTES_MAX = 150000;

export const data = (name) => path.join(HERE, '../data', name);

function freePort() {
	return new Promise((resolve) => {
		const s = net.createServer().listen(0, '127.0.0.1', () => {
			const {port} = s.address();
			s.close(() => resolve(port));
		});
	});
}

// Returns the program and its database options.
function program() {
	const {KERNSIFT_BIN: bin, PGHOST, PGUSER, PGDATABASE} = process.env;
	assert.ok(bin && PGHOST, 'KERNSIFT_BIN names the programs, and with-postgres runs this');
	return [path.join(bin, 'kernsiftd'), ['--db', `host=${PGHOST} user=${PGUSER} dbname=${PGDATABASE}`]];
}

async function kernsiftd(...words) {
	const [file, db] = program();
	return (await promisify(execFile)(file, [...words, ...db])).stdout;
}

async function startServer(port) {
	const [file, db] = program();
	const child = spawn(file, ['serve', '--listen', `127.0.0.1:${port}`, ...db, '--workers', '2'],
		{stdio: ['ignore', 'ignore', 'pipe']});
	let log = '';
	child.stderr.on('data', (text) => { log = (log + text).slice(-20000); });
	const gone = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
	const until = Date.now() + 60000;
	for (;;) {
		const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then((r) => r.ok, () => false);
		if (ready)
			break;
		assert.ok(child.exitCode === null && Date.now() < until, `the server did not start:\n${log}`);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	return {gone, log: () => log, stop: () => child.kill('SIGTERM')};
}

// Reports policy violations. It runs before the first script of the page.
function watchPolicy() {
	document.addEventListener('securitypolicyviolation', (e) =>
		console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
}

export async function newWorld() {
	const port = await freePort();
	const server = await startServer(port);
	const browser = await chromium.launch({executablePath: process.env.KERNSIFT_CHROMIUM, args: FLAGS});
	const base = `http://127.0.0.1:${port}`;
	const shots = process.env.KERNSIFT_SHOTS || path.join(SOURCE, 'build/shots');
	fs.mkdirSync(shots, {recursive: true});
	const opened = [];

	// Opens a page in its own browser context. `allowed` matches expected console lines (for
	// example of an intended 404). `answers` replaces answers of the server: it has, by the
	// path below /api/v1, a function of query and body that returns the document. For an
	// error the function returns {refused: [status, code, message]}.
	async function open(where, {allowed = /(?!)/, answers = {}, ...options} = {}) {
		const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
		context.setDefaultTimeout(PATIENCE_MS); /* for tabs that the page opens, too */
		const page = await context.newPage();
		const lines = [];
		page.on('console', (m) => /error|warning/.test(m.type()) && lines.push(`${m.text()} (${m.location().url})`));
		page.on('pageerror', (e) => lines.push(e.stack));
		await page.addInitScript(watchPolicy);
		const place = (url) => url.pathname.replace(/^\/api\/v1/, '');
		await page.route((url) => url.pathname.startsWith('/api/') && place(url) in answers, (route) => {
			const url = new URL(route.request().url());
			const made = answers[place(url)](url.searchParams, route.request().postData());
			const [status, code, message] = made.refused ?? [];
			route.fulfill(status ? {status, json: {error: {code, message}}} : {json: made});
		});
		await page.goto(base + where);
		await page.locator('h1').waitFor();
		opened.push({context, where, lines, allowed});
		return page;
	}

	// Opens a page with an empty cache, and then others with what it left in the cache; fails if one
	// of them sends more requests or loads more bytes, with their headers, than it may.
	async function firstView(where, ...then) {
		const context = await browser.newContext();
		const page = await context.newPage(); /* without routes, which disable the cache */
		const cdp = await context.newCDPSession(page);
		const loaded = [];
		await cdp.send('Network.enable');
		cdp.on('Network.loadingFinished', (e) => loaded.push(e.encodedDataLength));
		for (const {url, bytes: most} of [{url: where, bytes: FIRST_BYTES_MAX}, ...then]) {
			loaded.length = 0;
			await page.goto(base + url, {waitUntil: 'networkidle'});
			const bytes = loaded.reduce((sum, n) => sum + n, 0);
			assert.ok(loaded.length <= FIRST_REQUESTS_MAX && bytes <= most, `${url}: ${loaded.length} requests, ${bytes} bytes`);
		}
		await context.close();
	}

	// Closes the pages of a step and checks their consoles.
	async function silent() {
		for (const {context, where, lines, allowed} of opened.splice(0)) {
			await context.close();
			assert.deepEqual(lines.filter((line) => !allowed.test(line)), [], `the console at ${where}`);
		}
	}

	async function api(where) {
		const answer = await fetch(`${base}/api/v1${where}`);
		assert.ok(answer.ok, `${where}: ${answer.status}`);
		return answer;
	}

	async function end() {
		await browser.close();
		server.stop();
		const how = await server.gone;
		assert.equal(how, 0, `the server did not end well:\n${server.log()}`);
	}

	return {base, shots, shared: path.join(SOURCE, '../shared'), open, firstView, silent, api, kernsiftd, end};
}

export const text = async (download) => fs.readFileSync(await download.path(), 'utf8');

// Uploads a file, waits until it is a run, and returns the run's path.
export async function upload({base, api}, file, query = '') {
	const sent = await fetch(`${base}/api/v1/uploads?file=${path.basename(file)}${query}`,
		{method: 'POST', body: fs.readFileSync(file)});
	const {id} = await sent.json();
	for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
		const {state, runs, error} = await (await api(`/uploads/${id}`)).json();
		assert.notEqual(state, 'failed', error);
		if (state === 'done')
			return `/runs/${runs[0]}`;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	assert.fail(`${file} did not become a run`);
}

// Repeats `check` until it passes; throws its last error if it never passes.
export async function seen(check) {
	const until = Date.now() + PATIENCE_MS;
	for (;;)
		try {
			return await check();
		} catch (fault) {
			if (Date.now() > until)
				throw fault;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
}

// Signs in as the form of the page does.
export const signedIn = (page, token) => page.evaluate(async (text) => {
	const {ok} = await fetch('/api/v1/session', {method: 'POST', body: JSON.stringify({token: text}),
		headers: {'Content-Type': 'application/json'}});
	if (!ok)
		throw new Error('the token was not taken');
}, token);

// Returns the texts of all cells of a table's body, row by row.
export const cells = (page, caption) => page.getByRole('table', {name: caption}).evaluate((table) =>
	[...table.tBodies[0].rows].map((row) => [...row.cells].map((c) => c.innerText.trim())));
