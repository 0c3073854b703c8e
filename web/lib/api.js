// api.js - every address of the server's API, and the only module that sends requests. A
// rejected request throws a Failure with the server's message. The browser's cookie identifies
// the user (session.js).

const BASE = '/api/v1';

// `status` is the HTTP status, 0 if there was no answer.
export class Failure extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

// The path with its query; empty values are omitted, arrays repeat their key.
export function address(path, query = {}) {
	const q = new URLSearchParams();
	for (const [key, value] of Object.entries(query))
		for (const v of Array.isArray(value) ? value : [value])
			if (v !== null && v !== undefined && v !== '') q.append(key, v);
	const text = q.toString();
	return BASE + path + (text ? `?${text}` : '');
}

// Makes the failure for an answer with another status than 2xx, from the body of the answer.
export function failure(status, body) {
	try {
		const {code, message} = JSON.parse(body).error;
		if (typeof message === 'string') return new Failure(status, code, message);
	} catch {
		// not the API's error format: a proxy answered
	}
	return new Failure(status, 'unknown', `the server returned status ${status} without a reason`);
}

const unreachable = () =>
	new Failure(0, 'unreachable', 'the server cannot be reached; check that kernsiftd is running');

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
export const search = (query, signal) => json('/search', query, {signal});
export const values = (query, signal) => json('/values', query, {signal});
export const runs = (query, signal) => json('/runs', query, {signal});
export const run = (id, signal) => json(`/runs/${id}`, {}, {signal});
export const changeRun = (id, change) => json(`/runs/${id}`, {}, {method: 'PATCH', body: JSON.stringify(change)});
export const deleteRun = (id) => request(address(`/runs/${id}`), {method: 'DELETE'});
export const energy = (id, signal) => json(`/runs/${id}/energy`, {}, {signal});
export const serving = (id, signal) => json(`/runs/${id}/serving`, {}, {signal});
export const measures = (id, signal) => json(`/runs/${id}/measures`, {}, {signal});
export const notes = (id, signal) => json(`/runs/${id}/notes`, {}, {signal});
export const diagnosis = (id, signal) => json(`/runs/${id}/diagnosis`, {}, {signal});
export const copies = (id, query, signal) => json(`/runs/${id}/copies`, query, {signal});
export const timelineStrips = (id, query, signal) => json(`/runs/${id}/timeline/strips`, query, {signal});

export const replayedGraphs = (id, signal) => json(`/runs/${id}/replayed-graphs`, {}, {signal});
export const graphs = (id, signal) => json(`/runs/${id}/graphs`, {}, {signal});
export const callTree = (id, query, signal) => json(`/runs/${id}/call-tree`, query, {signal});
export const kernelLaunches = (id, kernel, signal) => json(`/runs/${id}/kernels/${kernel}/launches`, {}, {signal});
export const callers = (id, kernel, query, signal) => json(`/runs/${id}/kernels/${kernel}/callers`, query, {signal});

// The breakdown of one run, the breakdown comparison of several runs, and the strata of a run's
// iterations, from which the user chooses one for the layers.
export const breakdown = (id, query, signal) => json(`/runs/${id}/breakdown`, query, {signal});
export const breakdownComparison = (query, signal) => json('/breakdown', query, {signal});
export const breakdownComparisonFile = (format, query) => address('/breakdown', {...query, format});
export const strata = async (id, signal) => (await json(`/runs/${id}/iterations`, {limit: 1}, {signal})).strata ?? [];

export const jobs = (query, signal) => json('/jobs', query, {signal});
export const job = (id, signal) => json(`/jobs/${id}`, {}, {signal});
export const jobSteps = (id, signal) => json(`/jobs/${id}/steps`, {}, {signal});
export const jobExchanges = (id, signal) => json(`/jobs/${id}/all-to-all`, {}, {signal});
export const jobExchangesFile = (id) => address(`/jobs/${id}/all-to-all`, {format: 'csv'});

// The comparison of two sides; `score` selects the published score instead of the verdict.
export const compare = (query, signal) => json('/compare', query, {signal});
export const series = (query, signal) => json('/compare/series', query, {signal});
// A link in a pull request needs the full address.
const siteOf = (format) => (format === 'md' ? location.origin : null);
export const compareFile = (format, query) => address('/compare', {...query, format, site: siteOf(format)});
export const diagnosisMarkdown = (id) => address(`/runs/${id}/diagnosis`, {format: 'md', site: siteOf('md')});
// The text of an address of this module.
export const text = async (path) => (await request(path)).text();

// Loads all items of a list, in the server's order. `onProgress` gets the number of items loaded so
// far. The server decides where a page ends: it also limits pages by bytes, so a page may have
// fewer than `limit` items.
async function pages(path, query, {signal, onProgress, onPage}) {
	const rows = [];
	let cursor = null;
	do {
		const page = await json(path, {...query, limit: 5000, cursor}, {signal});
		onPage?.(page);
		rows.push(...page.items);
		cursor = page.next;
		onProgress?.(rows.length);
	} while (cursor !== null);
	return rows;
}
// The kernels with the most time, and the longest times in which nothing ran on a GPU.
export const topKernels = (id, limit, signal) => json(`/runs/${id}/kernels`, {limit}, {signal});
export const gaps = (id, limit, signal) => json(`/runs/${id}/gaps`, {limit}, {signal});
export const kernels = (id, query, options) => pages(`/runs/${id}/kernels`, query, options);
export const launches = (id, query, options) => pages(`/runs/${id}/launches`, query, options);

// The first page's fields, with the items of all pages.
async function allPages(path, query, options) {
	let first = null;
	const items = await pages(path, query, {
		...options,
		onPage: (page) => {
			first ??= page;
		},
	});
	return {...first, items};
}
export const iterations = (id, query, options) => allPages(`/runs/${id}/iterations`, query, options);
export const groups = (id, options) => allPages(`/runs/${id}/groups`, {}, options);
export const patterns = (id, query, options) => allPages(`/runs/${id}/patterns`, query, options);

// Operators of a run, and importance over all runs or in a reference set. The unattributed operator
// has no name in answers; in addresses its name is this word.
const operatorKey = (operator) => encodeURIComponent(operator ?? 'unattributed');
export const operators = (id, query, signal) => json(`/runs/${id}/operators`, query, {signal});
export const runShapes = (id, operator, query, signal) =>
	json(`/runs/${id}/operators/${operatorKey(operator)}/shapes`, query, {signal});
export const runUnattributed = (id, query, signal) => json(`/runs/${id}/unattributed`, query, {signal});
export const devices = (query, signal) => allPages('/devices', query, {signal});
export const devicesFile = (format, query) => address('/devices', {...query, format});
export const importance = (query, signal) => json('/importance', query, {signal});
export const importanceShapes = (operator, query, signal) =>
	json(`/importance/${operatorKey(operator)}/shapes`, query, {signal});
export const shapeScript = (operator, shape, query) =>
	address(`/importance/${operatorKey(operator)}/shapes/${shape}`, {...query, format: 'pytorch'});
export const fusions = (query, signal) => json('/importance/fusions', query, {signal});
export const fusionsFile = (format, query) => address('/importance/fusions', {...query, format});
export const importanceFile = (format, query) => address('/importance', {...query, format, site: siteOf(format)});
export const unattributed = (query, signal) => json('/unattributed', query, {signal});

// The catalog. `kind` is operators, rules or platforms. Site overrides are replaced all at once;
// `version` is the version that the user edited.
export const catalog = (kind, signal) => json(`/${kind}`, {}, {signal});
export const replaceCatalog = (kind, version, items) =>
	json(`/${kind}`, {}, {method: 'PUT', body: JSON.stringify({version, items})});
export const testRules = (request, signal) =>
	json('/rules/test', {}, {method: 'POST', body: JSON.stringify(request), signal});

export const referenceSets = (signal) => json('/reference-sets', {}, {signal});
export const saveReferenceSet = (name, file) => json('/reference-sets', {name}, {method: 'POST', body: file});
export const deleteReferenceSet = (name) => request(address(`/reference-sets/${encodeURIComponent(name)}`), {method: 'DELETE'});

// Addresses of a run's table as a file, and of the run's timeline and capture file.
export const tableFile = (id, table, format, query) => address(`/runs/${id}/${table}`, {...query, format});
export const runFile = (id, kind) => address(`/runs/${id}/${kind}`);

// The bytes of a long answer; `onProgress` gets the number received so far.
export async function bytes(where, {signal, onProgress}) {
	const reader = (await request(where, {signal})).body.getReader();
	const parts = [];
	let n = 0;
	try {
		for (;;) {
			const {done, value} = await reader.read();
			if (done) break;
			parts.push(value);
			n += value.length;
			onProgress(n);
		}
	} catch (e) {
		throw e.name === 'AbortError'
			? e
			: new Failure(0, 'cut', 'the connection was lost while the answer was received');
	}
	return new Blob(parts).arrayBuffer();
}

// Sends the bytes of a file as an upload. `onProgress` gets the number of bytes sent so far. It
// uses XMLHttpRequest because fetch does not report upload progress.
export function send(file, query, {onProgress, signal}) {
	return new Promise((resolve, reject) => {
		const x = new XMLHttpRequest();
		x.open('POST', address('/uploads', {...query, file: file.name}));
		x.setRequestHeader('Content-Type', 'application/octet-stream');
		x.upload.addEventListener('progress', (e) => onProgress(e.loaded));
		x.addEventListener('load', () => {
			if (x.status >= 200 && x.status < 300) resolve(JSON.parse(x.responseText));
			else reject(failure(x.status, x.responseText));
		});
		x.addEventListener('error', () =>
			reject(new Failure(0, 'cut', 'the connection was lost while the file was sent')),
		);
		x.addEventListener('abort', () => reject(new DOMException('canceled', 'AbortError')));
		signal?.addEventListener('abort', () => x.abort());
		x.send(file);
	});
}

// Workloads, trends and gates.

const getJson = async (where, options) => (await request(where, options)).json();

export const trend = (params, signal) => getJson(address('/trends', params), {signal});
export const trendFile = (params) => address('/trends', {...params, format: 'csv'});

export const home = (query, signal) => getJson(address('/home', query), {signal});
export const workloads = (query, signal) => getJson(address('/workloads', query), {signal});

// The operator or kernel names (`kind`) of a workload's newest run.
export async function recentNames(kind, {project, workload}, signal) {
	const {
		items: [run],
	} = await getJson(address('/runs', {project, workload, sort: 'newest', limit: 1}), {signal});
	if (!run) return [];
	const {items} = await getJson(address(`/runs/${run.id}/${kind}s`, kind === 'kernel' ? {limit: 300} : {}), {signal});
	return items.map((r) => (kind === 'operator' ? r.operator : r.name)).filter(Boolean);
}

// The runs that match a query, newest first.
export const findRuns = (params, signal) => getJson(address('/runs', params), {signal});

export const gates = (query, signal) => getJson(address('/gates', query), {signal});
export const gateDefaults = (signal) => getJson(address('/gates/defaults'), {signal});
export const gate = (id, signal) => getJson(address(`/gates/${id}`), {signal});
export const createGate = (request) => getJson(address('/gates'), {method: 'POST', body: JSON.stringify(request)});
export const gateFile = (id, format) => address(`/gates/${id}`, {format, site: siteOf(format)});
export const badge = (params) => address('/badge', params);

// Sessions, tokens, the audit log, retention and webhooks.

const sendJson = (path, method, body) => json(path, {}, {method, body: JSON.stringify(body)});
const deletePath = (path) => request(address(path), {method: 'DELETE'});

export const session = (signal) => json('/session', {}, {signal});
export const signIn = (token) => sendJson('/session', 'POST', {token});
export const signOut = () => deletePath('/session');

export const tokens = (query, signal) => json('/tokens', query, {signal});
export const createToken = (request) => sendJson('/tokens', 'POST', request);
export const revokeToken = (id) => deletePath(`/tokens/${id}`);
export const audit = (query, signal) => json('/audit', query, {signal});

export const retention = (signal) => json('/retention', {}, {signal});
export const saveRetention = (items) => sendJson('/retention', 'PUT', {items});

export const webhooks = (query, signal) => json('/webhooks', query, {signal});
export const createWebhook = (request) => sendJson('/webhooks', 'POST', request);
export const deleteWebhook = (id) => deletePath(`/webhooks/${id}`);
export const testWebhook = (id) => request(address(`/webhooks/${id}/test`), {method: 'POST'});
export const deliveries = (id, signal) => json(`/webhooks/${id}/deliveries`, {limit: 50}, {signal});
