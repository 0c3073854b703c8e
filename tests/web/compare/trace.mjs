// trace.mjs - generates a Kineto trace of training steps.
//
// A step has six kernels, a copy and a pause. The same seed gives the same trace.

const KERNELS = [['void gemm_kernel<float>(float*, int)', 800], ['void elementwise_kernel<4>(float*, int)', 300],
	['void softmax_kernel<float>(float*)', 200], ['void layer_norm_kernel<float>(float*, int)', 150],
	['void reduce_kernel<512>(float*)', 100], ['void copy_kernel<float>(float*, float*)', 50]];

// `slower`: factors by kernel; `more`: further kernels [name, µs]; `without`: names.
export function trace({seed, steps = 10, slower = {}, more = [], without = []}) {
	let at = seed * 7919 + 1;
	const next = () => {
		at = (at * 1103515245 + 12345) % 2147483648;
		return at / 2147483648;
	};
	const events = [];
	let time = 1000;
	let correlation = 1;
	const process = {pid: 100 + seed, tid: 100 + seed};
	for (let step = 0; step < steps; step++) {
		const begin = time;
		for (const [name, us] of [...KERNELS, ...more].filter(([n]) => !without.includes(n))) {
			const dur = Number((us * (slower[name] ?? 1) * (0.99 + 0.02 * next())).toFixed(3));
			events.push({ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', ...process, ts: time, dur: 3, args: {correlation}},
				{ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: time + 5, dur,
					args: {device: 0, context: 1, stream: 7, correlation, grid: [64, 1, 1], block: [128, 1, 1]}});
			correlation++;
			time += dur + 6;
		}
		time += 100;
		events.push({ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step}`, ...process, ts: begin, dur: time - begin, args: {}});
	}
	return written(events, {});
}

const written = (traceEvents, rest) => JSON.stringify({schemaVersion: 1,
	deviceProperties: [{id: 0, name: 'NVIDIA H100 80GB HBM3'}], ...rest, traceEvents});

// Returns the trace of a rank of a job. Each step has a kernel of 1,000 µs times the rank's
// factor, then a collective. The collective ends on all ranks together, 200 µs after the last
// rank started it, so the other ranks wait.
export function rankTrace(rank, factors, steps = 8) {
	const events = [];
	const last = Math.max(...factors) * 1000;
	const process = {pid: 500 + rank, tid: 500 + rank};
	for (let step = 0; step < steps; step++) {
		const begin = 1000 + step * (last + 400);
		const computed = factors[rank] * 1000;
		const launch = (name, at, dur, correlation) => events.push(
			{ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', ...process, ts: at - 5, dur: 2, args: {correlation}},
			{ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: at, dur,
				args: {device: 0, context: 1, stream: 7, correlation, grid: [64, 1, 1], block: [128, 1, 1]}});
		launch('void gemm_kernel<float>(float*, int)', begin + 10, computed, 2 * step + 1);
		launch('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)', begin + 10 + computed, last - computed + 200, 2 * step + 2);
		events.push({ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step}`, ...process, ts: begin, dur: last + 380, args: {}});
	}
	return written(events, {distributedInfo: {backend: 'nccl', rank, world_size: factors.length}});
}

// Returns a trace of a kernel of 100 µs, and a collective of 50 µs that begins after 80 µs.
export function overlapTrace() {
	const kernel = (name, stream, ts, dur) => ({ph: 'X', cat: 'kernel', name, pid: 0, tid: stream, ts, dur, args: {device: 0, stream}});
	return written([kernel('void gemm_kernel<float>(float*, int)', 7, 100, 100),
		kernel('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)', 8, 180, 50)], {});
}

// Returns the trace of a rank that exchanges rows of 512 bf16 (1 KiB) with all ranks, several
// times: rows[from][to]. Without `rows`, no split sizes are recorded, and each call takes 10 µs per
// rank number longer.
export function exchangeTrace(rank, world, rows, calls = 3) {
	const events = [];
	const ranks = JSON.stringify(Array.from({length: world}, (_, i) => i)).replaceAll(',', ', ');
	const sent = rows?.[rank] ?? [];
	const received = rows?.map((row) => row[rank]) ?? [];
	const sum = (list) => 512 * list.reduce((a, b) => a + b, 0);
	const list = (sizes) => `[${sizes.join(', ')}]`;
	for (let i = 0; i < calls; i++) {
		const link = {correlation: i + 1, 'External id': 100 + i};
		const args = {'Collective name': 'all_to_allv', 'In msg nelems': rows ? sum(sent) : 4096, 'Out msg nelems': rows ? sum(received) : 4096, dtype: 'BFloat16',
			'Group size': world, 'Process Group Name': '7', 'Process Group Ranks': ranks, ...(rows ? {'In split size': list(sent), 'Out split size': list(received)} : {})};
		const process = {ph: 'X', pid: 500 + rank, tid: 500 + rank};
		const at = 1000 + 1000 * i;
		events.push({...process, cat: 'cpu_op', name: 'record_param_comms', ts: at, dur: 50, args: {...args, 'External id': 100 + i, Seq: i + 1}},
			{...process, cat: 'cuda_runtime', name: 'cudaLaunchKernelExC', ts: at + 5, dur: 2, args: link},
			{ph: 'X', cat: 'kernel', name: 'ncclDevKernel_SendRecv(ncclDevComm*)', pid: 0, tid: 24, ts: at + 20, dur: 100 + (rows ? 0 : 10 * rank),
				args: {device: 0, stream: 24, grid: [8, 1, 1], block: [512, 1, 1], ...link, ...args}});
	}
	return written(events, {distributedInfo: {backend: 'nccl', rank, world_size: world}});
}
