// upload_queue.js - sends files and follows them until they are ingested. A file upload continues
// when the user leaves the page that started it. It waits, is sent, and is followed on the server
// until it is done or failed. Each change is reported as a 'change' event.

import * as api from './api.js';

const AT_ONCE = 3;
const MAX_FAILURES = 20;

export const fileUploads = [];
const queue = [];
let sending = 0;

const isFinal = (upload) => upload.state === 'done' || upload.state === 'failed';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// phase: 'waiting' to be sent, 'sending', 'stored' on the server (upload.state is then its state),
// or 'rejected' with error.
class FileUpload extends EventTarget {
	constructor(file, query) {
		super();
		Object.assign(this, {file, query});
		this.begin();
	}

	begin() {
		this.update({phase: 'waiting', sent: 0, upload: null, error: null});
		queue.push(this);
		sendNext();
	}

	update(state) {
		Object.assign(this, state);
		this.dispatchEvent(new Event('change'));
	}

	get over() {
		return this.phase === 'rejected' || (this.phase === 'stored' && isFinal(this.upload));
	}

	// Whether another try may help. Statuses below 500 reject the file or the request itself,
	// except a timeout and too many requests.
	get retryable() {
		if (this.phase !== 'rejected') return Boolean(this.upload?.retryable);
		const {status = 0} = this.error;
		return status === 0 || status === 408 || status === 429 || status >= 500;
	}

	async send() {
		this.update({phase: 'sending'});
		try {
			const {id, existing} = await api.send(this.file, this.query, {onProgress: (sent) => this.update({sent})});
			this.update({phase: 'stored', existing, upload: await api.upload(id)});
		} catch (error) {
			this.update({phase: 'rejected', error});
		}
	}

	// Polls the upload at growing intervals until it is done or failed. If the server does not
	// answer, polling is retried for a while.
	async follow() {
		let failures = 0;
		for (let wait = 200; !isFinal(this.upload); wait = Math.min(wait * 1.25, 2000)) {
			await pause(wait);
			try {
				this.update({upload: await api.upload(this.upload.id)});
				failures = 0;
			} catch (error) {
				const temporary = error.status === 0 || error.status === 503;
				if (!temporary || ++failures > MAX_FAILURES) {
					this.update({phase: 'rejected', error});
					return;
				}
			}
		}
	}

	// After a failure. If the server has not stored the whole file, sends the file again. If
	// the upload failed on the server, requests another try there. Otherwise only reads its
	// state again.
	async again() {
		if (this.upload === null) {
			this.begin();
			return;
		}
		try {
			const upload = this.phase === 'stored' ? await api.retry(this.upload.id) : await api.upload(this.upload.id);
			this.update({phase: 'stored', error: null, upload});
			await this.follow();
		} catch (error) {
			this.update({phase: 'rejected', error});
		}
	}
}

// At most AT_ONCE at a time, in their order.
async function sendNext() {
	if (sending >= AT_ONCE || queue.length === 0) return;
	const fileUpload = queue.shift();
	sending++;
	await fileUpload.send();
	sending--;
	sendNext();
	if (fileUpload.phase === 'stored') await fileUpload.follow();
}

export function enqueue(file, query) {
	const fileUpload = new FileUpload(file, query);
	fileUploads.unshift(fileUpload);
	return fileUpload;
}

// Leaving the page would cancel the uploads that are not finished.
globalThis.addEventListener?.('beforeunload', (e) => {
	if (fileUploads.some((d) => d.phase === 'waiting' || d.phase === 'sending')) e.preventDefault();
});
