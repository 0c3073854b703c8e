// upload_formats.js - which files are taken, and how each is made; and a pattern
// table with its counters, which are two files and one upload.

import {field, h} from '../dom.js';

// [whose, the file, how it is made]
const FORMATS = [
	['PyTorch profiler', 'Kineto or Chrome trace JSON, CUDA and ROCm', 'prof.export_chrome_trace("trace.json.gz")'],
	['Nsight Systems', 'SQLite export; of a .nsys-rep, make this first', 'nsys export --type sqlite report.nsys-rep'],
	['nsys stats', 'kernel table as CSV or tab-separated: statistics only',
		'nsys stats -r cuda_gpu_kern_sum --format csv --output . report.nsys-rep'],
	['ROCm', 'rocprofv3 JSON or rocpd', 'rocprofv3 --sys-trace --output-format rocpd -- ./program'],
	['rocmProfileData', '.rpd', 'runTracer.sh -o trace.rpd ./program'],
	['Patterns', 'CSV of shares and means per cycle: patterns only', null],
	['kernsift', 'capture, .kst', 'kernsiftd convert trace.json.gz trace.kst'],
];

export function formats() {
	return h('details', {class: 'formats'}, h('summary', {}, 'Which files are taken, and how to make them'),
		h('dl', {}, FORMATS.map(([whose, what, how]) => h('div', {}, h('dt', {}, whose),
			h('dd', {}, what, how && h('code', {}, how))))),
		h('p', {class: 'hint'}, 'Each plain, .gz or .zst. A file is known by its first bytes, whatever its name.'));
}

async function packing(file) {
	const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
	if (a === 0x1f && b === 0x8b)
		return 'gzip';
	return a === 0x28 && b === 0xb5 ? 'zstd' : null;
}

// An end of line, packed: what a file may lack at its end cannot be seen in it.
const LINE_END = {
	gzip: new Uint8Array([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xe3, 0x02, 0x00, 0x93, 0x06, 0xd7, 0x32, 0x01, 0x00, 0x00, 0x00]),
	zstd: new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x09, 0x00, 0x00, 0x0a]),
};

// The two as one file: patterns, then counters. Packed streams can stand one
// after the other, and so can lines, but not one after the other kind.
export async function joined(patterns, counters) {
	const [one, two] = await Promise.all([patterns, counters].map(packing));
	if (one !== two)
		throw new Error(`'${patterns.name}' and '${counters.name}' must both be packed alike, or both be plain`);
	const whole = one === null && await patterns.slice(-1).text() === '\n';
	return new File([patterns, whole ? '' : LINE_END[one] ?? '\n', counters], patterns.name);
}

// `send` takes the file that was made of them, and answers whether it did.
export function counterForm(send) {
	const patterns = h('input', {type: 'file', required: true});
	const counters = h('input', {type: 'file', required: true});
	const wrong = h('p', {class: 'wrong', role: 'alert'});

	async function submit(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			if (send([await joined(patterns.files[0], counters.files[0])]))
				e.target.reset();
		} catch (error) {
			wrong.textContent = `Nothing was sent: ${error.message}.`;
		}
	}

	return h('details', {class: 'formats'}, h('summary', {}, 'A pattern CSV with its counters'),
		h('form', {class: 'bar', on: {submit}}, field('Patterns', patterns), field('Counters', counters),
			h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Send both as one')), wrong));
}
