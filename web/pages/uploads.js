// uploads.js - sends files that the user drops or selects, several at once, and lists all uploads
// with their states.

import * as api from '../lib/api.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listCount, pager, pageUrl} from '../lib/list_pages.js';
import {announce, showFailure} from '../lib/notices.js';
import {table} from '../lib/table.js';
import {enqueue, fileUploads} from '../lib/upload_queue.js';

// One file upload: its progress, its result and a retry.

const STAGES = {queued: 'waiting for a worker', receiving: 'being stored'};

// The state of a file upload and its progress; null if the progress is unknown.
function progressOf(d) {
	if (d.phase === 'waiting') return {text: 'waiting to be sent', share: 0};
	if (d.phase === 'sending') {
		const share = f.progress(d.sent, d.file.size);
		return {text: share === 100 ? 'sent, being stored' : `sending, ${share ?? 0} %`, share};
	}
	if (d.phase === 'rejected') return {text: 'failed'};
	const {state, progress, runs} = d.upload;
	if (state === 'done') return {text: `${d.existing ? 'already uploaded' : 'done'}: ${f.plural(runs.length, 'run')}`};
	if (state === 'failed') return {text: 'failed'};
	const share = progress && f.progress(progress.done_bytes, progress.total_bytes);
	const stage = progress?.stage ?? STAGES[state] ?? state;
	return {text: share === null ? stage : `${stage}, ${share} %`, share};
}

function reason(d) {
	const sentence = d.phase === 'rejected' ? d.error.message : d.upload?.error;
	return sentence ? h('p', {class: 'sentence'}, sentence) : null;
}

function runLinks(d) {
	const runs = d.upload?.runs ?? [];
	if (!runs.length) return null;
	return h(
		'p',
		{class: 'runs'},
		runs.length > 8
			? h('a', {href: `/runs?upload=${d.upload.id}`}, `All ${runs.length} runs`)
			: runs.map((id) => h('a', {href: `/runs/${id}`}, `Run #${id}`)),
	);
}

// `stateChanged` is called when the upload has a new state.
function card(fileUpload, stateChanged, signal) {
	const {file} = fileUpload;
	const bar = h('progress', {max: 100, 'aria-label': `Progress of ${file.name}`});
	const state = h('span', {class: 'state'});
	const rest = h('div');
	const node = h(
		'li',
		{class: 'card', tabindex: '-1'},
		h(
			'div',
			{class: 'line'},
			h('strong', {class: 'file'}, file.name),
			h('span', {class: 'quiet'}, f.bytes(file.size)),
			state,
		),
		bar,
		rest,
	);
	let before = '';

	function draw(e) {
		const {text, share} = progressOf(fileUpload);
		const failed = text === 'failed';
		state.textContent = text;
		state.className = `state ${failed ? 'failed' : fileUpload.over ? 'done' : 'working'}`;
		bar.hidden = fileUpload.over;
		if (share === null || share === undefined) bar.removeAttribute('value');
		else bar.value = share;
		const now = `${fileUpload.phase} ${fileUpload.upload?.state}`;
		if (now === before) return;
		before = now;
		const hadFocus = rest.contains(document.activeElement);
		rest.replaceChildren(
			...[
				reason(fileUpload),
				runLinks(fileUpload),
				failed && fileUpload.retryable
					? h(
							'button',
							{type: 'button', 'aria-label': `Retry ${file.name}`, on: {click: () => fileUpload.again()}},
							'Retry',
						)
					: null,
			].filter(Boolean),
		);
		if (hadFocus) node.focus();
		if (e && fileUpload.over) announce(`${file.name}: ${text}`);
		if (e && fileUpload.phase === 'stored') stateChanged();
	}

	fileUpload.addEventListener('change', draw, {signal});
	draw();
	return node;
}

// The accepted formats and how to create a file in each of them. Also a form for a pattern table
// with its counters, which are two files of one upload.

// [source, format, command]
const FORMATS = [
	['PyTorch profiler', 'Kineto or Chrome trace JSON, CUDA, ROCm and XPU', 'prof.export_chrome_trace("trace.json.gz")'],
	['Nsight Systems', 'SQLite export; export a .nsys-rep first', 'nsys export --type sqlite report.nsys-rep'],
	[
		'nsys stats',
		'kernel table as CSV or tab-separated: statistics only',
		'nsys stats -r cuda_gpu_kern_sum --format csv --output . report.nsys-rep',
	],
	['JAX, XLA', 'XSpace, .xplane.pb', 'jax.profiler.start_trace("logs")'],
	['Triton Proton', 'tree of scopes and kernels, .hatchet: statistics only', 'proton.start("profile")'],
	['NCCL Inspector', 'JSON, one object per call of a collective', 'NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_VERBOSE=1'],
	['ROCm', 'rocprofv3 JSON or rocpd', 'rocprofv3 --sys-trace --output-format rocpd -- ./program'],
	['rocmProfileData', '.rpd', 'runTracer.sh -o trace.rpd ./program'],
	['Patterns', 'CSV of shares and means per iteration: patterns only', null],
	['kernsift', 'capture file, .kst', 'kernsiftd convert trace.json.gz trace.kst'],
];

function formats() {
	return h(
		'details',
		{class: 'formats'},
		h('summary', {}, 'Accepted formats and how to create them'),
		h(
			'dl',
			{},
			FORMATS.map(([source, format, command]) =>
				h('div', {}, h('dt', {}, source), h('dd', {}, format, command && h('code', {}, command))),
			),
		),
		h(
			'p',
			{class: 'hint'},
			'Each format can be plain, .gz or .zst. The format is detected from the first bytes, not from the name.',
		),
	);
}

async function compression(file) {
	const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
	if (a === 0x1f && b === 0x8b) return 'gzip';
	return a === 0x28 && b === 0xb5 ? 'zstd' : null;
}

// A compressed line end. A compressed file does not show whether its last line has one.
const LINE_END = {
	gzip: new Uint8Array([
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xe3, 0x02, 0x00, 0x93, 0x06, 0xd7, 0x32, 0x01,
		0x00, 0x00, 0x00,
	]),
	zstd: new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x09, 0x00, 0x00, 0x0a]),
};

// Joins patterns and counters to one file. Compressed streams can be concatenated if they have the
// same format. Plain lines can be concatenated too. A mix is not possible.
export async function joinFiles(patterns, counters) {
	const [one, two] = await Promise.all([patterns, counters].map(compression));
	if (one !== two) throw new Error(`'${patterns.name}' and '${counters.name}' must have the same compression`);
	const whole = one === null && (await patterns.slice(-1).text()) === '\n';
	return new File([patterns, whole ? '' : (LINE_END[one] ?? '\n'), counters], patterns.name);
}

// `send` gets the joined file and returns whether it is being sent.
function counterForm(send) {
	const patterns = h('input', {type: 'file', required: true});
	const counters = h('input', {type: 'file', required: true});
	const wrong = h('p', {class: 'wrong', role: 'alert'});

	async function submit(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			if (send([await joinFiles(patterns.files[0], counters.files[0])])) e.target.reset();
		} catch (error) {
			wrong.textContent = `Nothing was sent: ${error.message}.`;
		}
	}

	return h(
		'details',
		{class: 'formats'},
		h('summary', {}, 'Pattern CSV with counters'),
		h(
			'form',
			{class: 'bar', on: {submit}},
			field('Patterns', patterns),
			field('Counters', counters),
			h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Upload both')),
			wrong,
		),
	);
}

const STATES = ['receiving', 'queued', 'working', 'done', 'failed'];
const REFRESH_MS = 2000;

function sender(onStart) {
	const project = h('input', {type: 'text', name: 'project', autocomplete: 'off'});
	const workload = h('input', {type: 'text', name: 'workload', autocomplete: 'off'});
	const labels = h('input', {type: 'text', name: 'labels', autocomplete: 'off'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const input = h('input', {
		type: 'file',
		multiple: true,
		hidden: true,
		id: 'files',
		on: {
			change: () => {
				sendFiles(input.files);
				input.value = '';
			},
		},
	});

	// Returns whether the files are being sent.
	function sendFiles(files) {
		wrong.textContent = '';
		const query = {project: project.value.trim(), workload: workload.value.trim()};
		try {
			for (const [k, v] of Object.entries(f.labels(labels.value))) query[`label.${k}`] = v;
		} catch (error) {
			wrong.textContent = `Nothing was sent: ${error.message}.`;
			labels.focus();
			return false;
		}
		for (const file of files) onStart(enqueue(file, query));
		return true;
	}

	const zone = h(
		'div',
		{
			class: 'drop',
			on: {
				dragover: (e) => {
					e.preventDefault();
					zone.classList.add('over');
				},
				dragleave: (e) => zone.contains(e.relatedTarget) || zone.classList.remove('over'),
				drop: (e) => {
					e.preventDefault();
					zone.classList.remove('over');
					sendFiles(e.dataTransfer.files);
				},
			},
		},
		input,
		h('button', {type: 'button', class: 'main', on: {click: () => input.click()}}, 'Choose files'),
		h('p', {}, 'or drop them here. The upload starts immediately.'),
		h(
			'p',
			{class: 'hint'},
			'Traces of the PyTorch profiler, Nsight Systems or ROCm, ' +
				'tables of nsys stats or of patterns, capture files (.kst)',
		),
	);

	return h(
		'section',
		{class: 'sender', 'aria-label': 'Upload files'},
		h(
			'div',
			{class: 'bar'},
			field('Project', project),
			field('Workload', workload),
			field('Labels', labels, 'key=value, separated by commas'),
		),
		wrong,
		zone,
		formats(),
		counterForm(sendFiles),
	);
}

const stateText = (u) => {
	const share = u.progress && f.progress(u.progress.done_bytes, u.progress.total_bytes);
	return u.state === 'working' && share !== null ? `working, ${share} %` : u.state;
};

function columns(retry, now) {
	return [
		{
			label: 'Upload',
			head: true,
			class: 'wide',
			cell: (u) => [
				h('span', {class: 'file'}, u.file_name || u.name || 'unnamed'),
				' ',
				h('span', {class: 'quiet'}, `#${u.id}`),
			],
		},
		{
			label: 'State',
			class: 'wide',
			cell: (u) => [
				h('span', {class: `state ${u.state}`}, stateText(u)),
				u.error ? h('p', {class: 'sentence'}, u.error) : null,
				u.retryable
					? h(
							'button',
							{
								type: 'button',
								'data-key': `retry-${u.id}`,
								'aria-label': `Retry upload ${u.id}`,
								on: {click: () => retry(u.id)},
							},
							'Retry',
						)
					: null,
			],
		},
		{
			label: 'Runs',
			cell: (u) =>
				u.runs.length
					? u.runs
							.slice(0, 8)
							.map((id) => [h('a', {href: `/runs/${id}`}, `#${id}`), ' '])
							.flat()
							.concat(
								u.runs.length > 8 ? h('a', {href: `/runs?upload=${u.id}`}, `all ${u.runs.length}`) : [],
							)
					: f.NONE,
		},
		{label: 'Project', cell: (u) => u.project || f.NONE},
		{label: 'Workload', cell: (u) => u.workload || f.NONE},
		{label: 'Size', num: true, cell: (u) => f.bytes(u.bytes), title: (u) => `${f.count(u.bytes)} bytes`},
		{
			label: 'Added',
			num: true,
			cell: (u) => h('time', {datetime: u.created_at}, f.age(u.created_at, now)),
			title: (u) => f.moment(u.created_at),
		},
	];
}

// Updates the list; the focus stays on the same button.
async function uploadList(place, query, at) {
	let timer = null;
	let last = '';

	async function draw() {
		clearTimeout(timer);
		const answer = await api.uploads({...Object.fromEntries(query), total: 'yes'}, at.signal);
		const text = JSON.stringify(answer) + Math.floor(Date.now() / 60000);
		if (text !== last) {
			const key = place.contains(document.activeElement) && document.activeElement.dataset.key;
			place.replaceChildren(...list(answer));
			if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
			last = text;
		}
		if (answer.items.some((u) => u.state !== 'done' && u.state !== 'failed'))
			timer = setTimeout(refresh, REFRESH_MS);
	}

	// An automatic refresh ignores errors and tries again.
	const refresh = () => draw().catch(() => at.signal.aborted || (timer = setTimeout(refresh, REFRESH_MS)));

	async function retry(id) {
		try {
			await api.retry(id, at.signal);
			await draw();
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, () => retry(id));
		}
	}

	function list(answer) {
		const {items, next} = answer;
		return [
			listCount(answer, 'upload'),
			table({
				caption: 'Uploads',
				columns: columns(retry, Date.now()),
				rows: items,
				empty: query.size ? 'No upload matches.' : 'No uploads yet.',
			}).node,
			pager((to) => pageUrl('/uploads', query, to), query.get('cursor'), next),
		];
	}

	await draw();
	at.signal.addEventListener('abort', () => clearTimeout(timer));
	return refresh;
}

function stateFilter(query, at) {
	const select = h(
		'select',
		{on: {change: () => at.go(select.value ? `/uploads?state=${select.value}` : '/uploads')}},
		h('option', {value: ''}, 'any'),
		STATES.map((s) => h('option', {value: s, selected: query.get('state') === s}, s)),
	);
	return field('State', select);
}

export async function page(view, query, at) {
	const place = h('div');
	const refresh = await uploadList(place, query, at);
	const cards = h('ul', {class: 'cards', 'aria-label': 'Files sent from this page'});
	const add = (fileUpload) => cards.prepend(card(fileUpload, refresh, at.signal));

	for (const fileUpload of [...fileUploads].reverse()) add(fileUpload);
	view.append(
		h('h1', {}, 'Uploads'),
		sender(add),
		cards,
		h(
			'section',
			{'aria-labelledby': 'past'},
			h('div', {class: 'toolbar'}, h('h2', {id: 'past'}, 'All uploads'), stateFilter(query, at)),
			place,
		),
	);
	return 'Uploads';
}
