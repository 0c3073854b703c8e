// upload_queue.js - files on their way to the server. A delivery outlives the page
// that began it: it is waiting, being sent, followed on the server until done
// or failed, and tells each change as a 'change' event.

import * as api from './api.js';

const AT_ONCE = 3;
const MAX_MISSED = 20;

export const fileUploads = [];
const queue = [];
let sending = 0;

const isFinal = (upload) => upload.state === 'done' || upload.state === 'failed';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// phase: 'waiting' to be sent, 'sending', 'kept' by the server (its state is
// upload.state), or 'refused' with error.
class FileUpload extends EventTarget {
	constructor(file, query) {
		super();
		Object.assign(this, {file, query});
		this.begin();
	}

	begin() {
		this.become({phase: 'waiting', sent: 0, upload: null, error: null});
		queue.push(this);
		sendNext();
	}

	become(state) {
		Object.assign(this, state);
		this.dispatchEvent(new Event('change'));
	}

	get over() {
		return this.phase === 'refused' || (this.phase === 'kept' && isFinal(this.upload));
	}

	async send() {
		this.become({phase: 'sending'});
		try {
			const {id, existing} = await api.send(this.file, this.query, {told: (sent) => this.become({sent})});
			this.become({phase: 'kept', existing, upload: await api.upload(id)});
		} catch (error) {
			this.become({phase: 'refused', error});
		}
	}

	// Asks after it, ever less often, until it is done or failed. A server that
	// does not answer is asked again for a while.
	async follow() {
		let missed = 0;
		for (let wait = 200; !isFinal(this.upload); wait = Math.min(wait * 1.25, 2000)) {
			await pause(wait);
			try {
				this.become({upload: await api.upload(this.upload.id)});
				missed = 0;
			} catch (error) {
				const passing = error.status === 0 || error.status === 503;
				if (!passing || ++missed > MAX_MISSED) {
					this.become({phase: 'refused', error});
					return;
				}
			}
		}
	}

	// After a failure: what the server has, it works on again; what it never
	// got whole is sent again.
	async again() {
		if (this.upload === null) {
			this.begin();
			return;
		}
		try {
			const upload = this.phase === 'kept' ? await api.retry(this.upload.id) : await api.upload(this.upload.id);
			this.become({phase: 'kept', error: null, upload});
			await this.follow();
		} catch (error) {
			this.become({phase: 'refused', error});
		}
	}
}

// A few at a time, in the order they came.
async function sendNext() {
	if (sending >= AT_ONCE || queue.length === 0) return;
	const delivery = queue.shift();
	sending++;
	await delivery.send();
	sending--;
	sendNext();
	if (delivery.phase === 'kept') await delivery.follow();
}

export function enqueue(file, query) {
	const delivery = new FileUpload(file, query);
	fileUploads.unshift(delivery);
	return delivery;
}

// Leaving would break off what has not arrived yet.
globalThis.addEventListener?.('beforeunload', (e) => {
	if (fileUploads.some((d) => d.phase === 'waiting' || d.phase === 'sending')) e.preventDefault();
});
