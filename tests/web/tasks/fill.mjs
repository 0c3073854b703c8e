// fill.mjs - fills the server for the tasks. Each project has one task, so that the home page of the
// project begins it.

import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {rankTrace} from '../compare/trace.mjs';
import {data, upload} from '../smoke/world.mjs';

const GEN = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../gen');
const gen = (name, ...words) => execFileSync(path.join(GEN, name), words.map(String));

// The kernel that is twice as fast on the other GPU.
export const FASTER = 'fmhaSm100fKernel_QkvE4m3OBfloat16H576HV512PagedKvDenseStaticSwapsAb';

// The trace of the same step on a GPU of this name.
function onGpu(text, name, faster) {
	const trace = JSON.parse(text);
	for (const gpu of trace.deviceProperties)
		gpu.name = name;
	for (const e of trace.traceEvents.filter((e) => faster && e.cat === 'kernel' && e.name === FASTER))
		e.dur /= 2;
	return JSON.stringify(trace);
}

export default async function fill(test, world) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'kernsift-tasks.'));
	const file = (name, content) => {
		if (content)
			fs.writeFileSync(path.join(dir, name), content);
		return path.join(dir, name);
	};

	try {
		await test('the traces become runs', async () => {
			gen('gen_trace.py', '--stacks', '--steps', 4, file('stacks.json'));
			await upload(world, file('stacks.json'), '&project=callers&workload=w');

			for (let seed = 1; seed <= 6; seed++) {
				const head = seed > 4;
				gen('gen_trace.py', '--steps', 20, '--seed', seed, ...(head ? ['--times', 'norm=3'] : []), file(`${seed}.json`));
				await upload(world, file(`${seed}.json`), `&project=pr&workload=w&label.branch=${head ? 'feature' : 'main'}&label.commit=${head ? 'beef' : `c0${seed}`}`);
			}

			gen('gen_fleet.py', '--runs', 41, dir);
			const fleet = fs.readFileSync(file('list'), 'utf8').trim().split('\n').map((line) => line.split('\t'));
			for (const [, workload, , , name] of fleet.filter(([project]) => project === 'chat').slice(0, 4))
				await upload(world, file(name), `&project=fleet&workload=${workload}`);

			gen('gen_layers.py', file('layers.json'));
			const step = fs.readFileSync(file('layers.json'), 'utf8');
			for (const [name, gpu, faster] of [['mi300x.json', 'AMD Instinct MI300X', true], ['h100.json', 'NVIDIA H100 80GB HBM3', false]])
				await upload(world, file(name, onGpu(step, gpu, faster)), '&project=gpus&workload=decode');

			const factors = [1, 1, 1.3];
			for (const rank of factors.keys())
				await upload(world, file(`rank-${rank}.json`, rankTrace(rank, factors)), '&project=ranks&workload=w&job=uneven');

			await upload(world, data('../../api/data/idle-causes.json'), '&project=idle&workload=w');
		});
	} finally {
		fs.rmSync(dir, {recursive: true});
	}
}
