// api.js - every address of the server, and the only place that asks it
// anything. What the server refuses is thrown as a Failure with its sentence.

const BASE = '/api/v1';
const TOKEN = 'kernsift-token';

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
			if (v !== null && v !== undefined && v !== '')
				q.append(key, v);
	const text = q.toString();
	return BASE + path + (text ? `?${text}` : '');
}

// The failure that an answer other than 2xx stands for, by its body.
export function failure(status, body) {
	try {
		const {code, message} = JSON.parse(body).error;
		if (typeof message === 'string')
			return new Failure(status, code, message);
	} catch {
		// not our envelope: something between here and the server spoke
	}
	return new Failure(status, 'unknown', `the server answered ${status} without a reason`);
}

const unreachable = () => new Failure(0, 'unreachable',
	'the server cannot be reached; is kernsiftd running?');

// A token is asked for once where the server wants one, and forgotten with
// the tab.
export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;
export const setToken = (text) => sessionStorage.setItem(TOKEN, text);

function bearer() {
	return hasToken() ? {Authorization: `Bearer ${sessionStorage.getItem(TOKEN)}`} : {};
}

async function ask(where, {method = 'GET', signal} = {}) {
	let answer;
	try {
		answer = await fetch(where, {method, signal, headers: bearer()});
	} catch (e) {
		throw e.name === 'AbortError' ? e : unreachable();
	}
	if (!answer.ok)
		throw failure(answer.status, await answer.text());
	return answer;
}

async function json(path, query, options) {
	return (await ask(address(path, query), options)).json();
}

export const uploads = (query, signal) => json('/uploads', query, {signal});
export const upload = (id, signal) => json(`/uploads/${id}`, {}, {signal});
export const retry = (id, signal) => json(`/uploads/${id}/retry`, {}, {method: 'POST', signal});
export const runs = (query, signal) => json('/runs', query, {signal});
export const run = (id, signal) => json(`/runs/${id}`, {}, {signal});
export const notes = (id, signal) => json(`/runs/${id}/notes`, {}, {signal});
export const copies = (id, query, signal) => json(`/runs/${id}/copies`, query, {signal});

// All kernels of a run, in the server's order; `told` hears how many so far.
export async function kernels(id, query, {signal, told}) {
	const rows = [];
	let cursor = null;
	do {
		const page = await json(`/runs/${id}/kernels`, {...query, limit: 5000, cursor}, {signal});
		rows.push(...page.items);
		cursor = page.next;
		told?.(rows.length);
	} while (cursor !== null);
	return rows;
}

// A table as a file: where it lies, and its bytes where a plain link would
// lack the token.
export const tableFile = (id, table, format, query) =>
	address(`/runs/${id}/${table}`, {...query, format});
export const file = async (where) => (await ask(where)).blob();

// Sends a file's bytes as an upload; `told` hears how many are sent. XMLHttpRequest,
// because fetch does not tell how far a body has gone.
export function send(file, query, {told, signal}) {
	return new Promise((resolve, reject) => {
		const x = new XMLHttpRequest();
		x.open('POST', address('/uploads', {...query, file: file.name}));
		x.setRequestHeader('Content-Type', 'application/octet-stream');
		for (const [name, value] of Object.entries(bearer()))
			x.setRequestHeader(name, value);
		x.upload.addEventListener('progress', (e) => told(e.loaded));
		x.addEventListener('load', () => {
			if (x.status >= 200 && x.status < 300)
				resolve(JSON.parse(x.responseText));
			else
				reject(failure(x.status, x.responseText));
		});
		x.addEventListener('error', () => reject(new Failure(0, 'cut',
			'the connection broke while the file was being sent')));
		x.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
		signal?.addEventListener('abort', () => x.abort());
		x.send(file);
	});
}
