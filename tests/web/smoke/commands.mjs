// commands.mjs - runs the commands that the home page of an empty server shows: each must add a run.

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import {gzipSync} from 'node:zlib';
import {firstCommands} from '../../../web/pages/home.js';
import {data, seen} from './world.mjs';

// A program that leaves a capture, as the collector would on a machine with a GPU.
const PROGRAM = (file) => `import os, sys
sys.argv = [${JSON.stringify(file)}, 'capture', os.environ['KERNSIFT_TRACE_DIR']]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], 'exec'), {'__name__': '__main__', '__file__': sys.argv[0]})
`;
// The server takes each trace once per project.
const TRACES = ['callers.json', 'callers.json', 'two-devices.json'];

export default async function commands(test, {base, api}) {
	const spooled = path.resolve(data(''), '../../client/spooled.py');
	for (const [i, [what, command]] of firstCommands(base).entries())
		await test(`a command of the empty home page: ${what}`, async () => {
			const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-first-'));
			const before = (await (await api('/runs?project=demo')).json()).items.length;
			fs.writeFileSync(path.join(folder, 'train.py'), PROGRAM(spooled));
			fs.writeFileSync(path.join(folder, 'trace.json.gz'), gzipSync(fs.readFileSync(data(TRACES[i]))));
			fs.writeFileSync(path.join(folder, 'library.so'), '');
			try {
				await promisify(execFile)('sh', ['-c', command], {cwd: folder, timeout: 120000,
					env: {...process.env, PATH: `${process.env.KERNSIFT_BIN}:${process.env.PATH}`, XDG_STATE_HOME: folder, KERNSIFT_LIBRARY: path.join(folder, 'library.so')}});
				await seen(async () => assert.equal((await (await api('/runs?project=demo')).json()).items.length, before + 1));
			} finally {
				fs.rmSync(folder, {recursive: true});
			}
		});
}
