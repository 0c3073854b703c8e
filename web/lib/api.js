// api.js - every address of the server but those of api_team.js and
// api_history.js, and the only place that asks it anything. What it refuses is
// thrown as a Failure with its sentence. Who asks is told by the browser's cookie
// (session.js).

const BASE = '/api/v1';

// `status` is the HTTP status, 0 where no answer came at all.
export class Failure extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

// The path with a query; empty values are left out, arrays repeat their key.
export function address(path, query = {}) {
	const q = new URLSearchParams();
	for (const [key, value] of Object.entries(query))
		for (const v of Array.isArray(value) ? value : [value])
			if (v !== null && v !== undefined && v !== '') q.append(key, v);
	const text = q.toString();
	return BASE + path + (text ? `?${text}` : '');
}

// The failure that an answer other than 2xx stands for, by its body.
export function failure(status, body) {
	try {
		const {code, message} = JSON.parse(body).error;
		if (typeof message === 'string') return new Failure(status, code, message);
	} catch {
		// not our envelope: something between here and the server spoke
	}
	return new Failure(status, 'unknown', `the server answered ${status} without a reason`);
}

const unreachable = () => new Failure(0, 'unreachable', 'the server cannot be reached; is kernsiftd running?');

async function request(where, {method = 'GET', body, signal} = {}) {
	let answer;
	const headers = body === undefined ? {} : {'Content-Type': 'application/json'};
	try {
		answer = await fetch(where, {method, signal, headers, body});
	} catch (e) {
		throw e.name === 'AbortError' ? e : unreachable();
	}
	if (!answer.ok) throw failure(answer.status, await answer.text());
	return answer;
}

async function json(path, query, options) {
	return (await request(address(path, query), options)).json();
}

export const uploads = (query, signal) => json('/uploads', query, {signal});
export const upload = (id, signal) => json(`/uploads/${id}`, {}, {signal});
export const retry = (id, signal) => json(`/uploads/${id}/retry`, {}, {method: 'POST', signal});
export const runs = (query, signal) => json('/runs', query, {signal});
export const run = (id, signal) => json(`/runs/${id}`, {}, {signal});
export const notes = (id, signal) => json(`/runs/${id}/notes`, {}, {signal});
export const copies = (id, query, signal) => json(`/runs/${id}/copies`, query, {signal});

export const graphs = (id, signal) => json(`/runs/${id}/graphs`, {}, {signal});
export const callers = (id, kernel, query, signal) => json(`/runs/${id}/kernels/${kernel}/callers`, query, {signal});

// Where a layer's time goes: of one run, and of several beside each other; what its
// cycles work on, to have the layers of one kind.
export const breakdown = (id, query, signal) => json(`/runs/${id}/breakdown`, query, {signal});
export const breakdownComparison = (query, signal) => json('/breakdown', query, {signal});
export const breakdownComparisonFile = (format, query) => address('/breakdown', {...query, format});
export const strata = async (id, signal) => (await json(`/runs/${id}/cycles`, {limit: 1}, {signal})).strata ?? [];

export const jobs = (query, signal) => json('/jobs', query, {signal});
export const job = (id, signal) => json(`/jobs/${id}`, {}, {signal});

// What changed between two sides; the published score of the same two is
// asked for with `score`.
export const compare = (query, signal) => json('/compare', query, {signal});
export const series = (query, signal) => json('/compare/series', query, {signal});
export const compareFile = (format, query) => address('/compare', {...query, format});

// All items of a list, in the server's order; `told` hears how many so far. A
// page ends where the server says: some are short of `limit`, bounded by bytes.
async function pages(path, query, {signal, told, seen}) {
	const rows = [];
	let cursor = null;
	do {
		const page = await json(path, {...query, limit: 5000, cursor}, {signal});
		seen?.(page);
		rows.push(...page.items);
		cursor = page.next;
		told?.(rows.length);
	} while (cursor !== null);
	return rows;
}
export const kernels = (id, query, options) => pages(`/runs/${id}/kernels`, query, options);
export const launches = (id, query, options) => pages(`/runs/${id}/launches`, query, options);

// What the first page tells of all, with the items of every page.
async function allPages(path, query, options) {
	let first = null;
	const items = await pages(path, query, {
		...options,
		seen: (page) => {
			first ??= page;
		},
	});
	return {...first, items};
}
export const iterations = (id, query, options) => allPages(`/runs/${id}/cycles`, query, options);
export const groups = (id, options) => allPages(`/runs/${id}/groups`, {}, options);
export const patterns = (id, query, options) => allPages(`/runs/${id}/patterns`, query, options);

// What GPU time was spent on: of a run, and of all runs or a reference set. An
// operator without a name, of what nobody knows, is asked for by this word.
const operatorKey = (operator) => encodeURIComponent(operator ?? 'unattributed');
export const operators = (id, query, signal) => json(`/runs/${id}/operators`, query, {signal});
export const runShapes = (id, operator, query, signal) =>
	json(`/runs/${id}/operators/${operatorKey(operator)}/shapes`, query, {signal});
export const runUnattributed = (id, query, signal) => json(`/runs/${id}/unattributed`, query, {signal});
export const importance = (query, signal) => json('/importance', query, {signal});
export const importanceShapes = (operator, query, signal) =>
	json(`/importance/${operatorKey(operator)}/shapes`, query, {signal});
export const importanceFile = (format, query) => address('/importance', {...query, format});
export const unattributed = (query, signal) => json('/unattributed', query, {signal});

// The catalogue: `what` is operators, rules or platforms. Its own part is
// replaced whole; `version` is the one it was made from.
export const catalog = (what, signal) => json(`/${what}`, {}, {signal});
export const replaceCatalog = (what, version, items) =>
	json(`/${what}`, {}, {method: 'PUT', body: JSON.stringify({version, items})});
export const testRules = (asked, signal) =>
	json('/rules/test', {}, {method: 'POST', body: JSON.stringify(asked), signal});

export const referenceSets = (signal) => json('/sets', {}, {signal});
export const saveReferenceSet = (name, file) => json('/sets', {name}, {method: 'POST', body: file});
export const deleteReferenceSet = (name) => request(address(`/sets/${encodeURIComponent(name)}`), {method: 'DELETE'});

// A table as a file, a run as a trace: where it lies.
export const tableFile = (id, table, format, query) => address(`/runs/${id}/${table}`, {...query, format});
export const runFile = (id, what) => address(`/runs/${id}/${what}`);

// The bytes of a long answer; `told` hears how many so far.
export async function bytes(where, {signal, told}) {
	const reader = (await request(where, {signal})).body.getReader();
	const parts = [];
	let n = 0;
	try {
		for (;;) {
			const {done, value} = await reader.read();
			if (done) break;
			parts.push(value);
			n += value.length;
			told(n);
		}
	} catch (e) {
		throw e.name === 'AbortError'
			? e
			: new Failure(0, 'cut', 'the connection broke while the answer was coming in');
	}
	return new Blob(parts).arrayBuffer();
}

// Sends a file's bytes as an upload; `told` hears how many are sent. XMLHttpRequest,
// because fetch does not tell how far a body has gone.
export function send(file, query, {told, signal}) {
	return new Promise((resolve, reject) => {
		const x = new XMLHttpRequest();
		x.open('POST', address('/uploads', {...query, file: file.name}));
		x.setRequestHeader('Content-Type', 'application/octet-stream');
		x.upload.addEventListener('progress', (e) => told(e.loaded));
		x.addEventListener('load', () => {
			if (x.status >= 200 && x.status < 300) resolve(JSON.parse(x.responseText));
			else reject(failure(x.status, x.responseText));
		});
		x.addEventListener('error', () =>
			reject(new Failure(0, 'cut', 'the connection broke while the file was being sent')),
		);
		x.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
		signal?.addEventListener('abort', () => x.abort());
		x.send(file);
	});
}

// The server's addresses for workloads, trends and gates; it is
// api.js that asks.

const getJson = async (where, options) => (await request(where, options)).json();

export const trend = (words, signal) => getJson(address('/trends', words), {signal});
export const trendFile = (words) => address('/trends', {...words, format: 'csv'});

export const workloads = (query, signal) => getJson(address('/workloads', query), {signal});

// The names that the newest run of a workload has for `kind`, operator or kernel.
export async function recentNames(kind, {project, workload}, signal) {
	const {
		items: [run],
	} = await getJson(address('/runs', {project, workload, sort: 'newest', limit: 1}), {signal});
	if (!run) return [];
	const {items} = await getJson(address(`/runs/${run.id}/${kind}s`, kind === 'kernel' ? {limit: 300} : {}), {signal});
	return items.map((r) => (kind === 'kernel' ? r.name : r.operator)).filter(Boolean);
}

// The runs that a query of words finds, newest first.
export const findRuns = (words, signal) => getJson(address('/runs', words), {signal});

export const gates = (query, signal) => getJson(address('/gates', query), {signal});
export const gate = (id, signal) => getJson(address(`/gates/${id}`), {signal});
export const createGate = (question) => getJson(address('/gates'), {method: 'POST', body: JSON.stringify(question)});
// Links in a pull request are whole.
export const gateFile = (id, format) =>
	address(`/gates/${id}`, {format, site: format === 'md' ? location.origin : null});
export const badge = (words) => address('/badge', words);

// The server's addresses for who may do what, what is kept how long
// and whom to tell; it is api.js that asks.

const sendJson = (path, method, body) => json(path, {}, {method, body: JSON.stringify(body)});
const deletePath = (path) => request(address(path), {method: 'DELETE'});

export const session = (signal) => json('/session', {}, {signal});
export const signIn = (token) => sendJson('/session', 'POST', {token});
export const signOut = () => deletePath('/session');

export const tokens = (query, signal) => json('/tokens', query, {signal});
export const createToken = (wish) => sendJson('/tokens', 'POST', wish);
export const revokeToken = (id) => deletePath(`/tokens/${id}`);
export const audit = (query, signal) => json('/audit', query, {signal});

export const retention = (signal) => json('/retention', {}, {signal});
export const saveRetention = (items) => sendJson('/retention', 'PUT', {items});

export const webhooks = (query, signal) => json('/webhooks', query, {signal});
export const createWebhook = (wish) => sendJson('/webhooks', 'POST', wish);
export const deleteWebhook = (id) => deletePath(`/webhooks/${id}`);
export const testWebhook = (id) => request(address(`/webhooks/${id}/test`), {method: 'POST'});
export const deliveries = (id, signal) => json(`/webhooks/${id}/deliveries`, {limit: 50}, {signal});
