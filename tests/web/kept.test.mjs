// kept.test.mjs - tests web/kept/fetch, which downloads the chart library once.
//
// If the download fails, web/kept/fetch prints one line. npm is a stub.

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../web/kept/fetch', import.meta.url));
const LOCK = fs.readFileSync(new URL('../../web/kept/package-lock.json', import.meta.url), 'utf8');
const TOOLS = ['chmod', 'cmp', 'cp', 'cut', 'dirname', 'grep', 'mkdir', 'mktemp', 'mv', 'rm', 'sh'];
const BRINGS = 'd=node_modules/uplot; mkdir -p $d/dist; echo js >$d/dist/uPlot.esm.js; echo css >$d/dist/uPlot.min.css; echo license >$d/LICENSE';
const WHY = (why) => `the chart library cannot be downloaded: ${why}; /trends will only have tables\n`;

// Returns a folder of programs in which `npm` is a stub, and a folder to download to.
function place(npm) {
	const root = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-kept-'));
	const bin = path.join(root, 'bin');
	fs.mkdirSync(bin);
	for (const tool of TOOLS)
		fs.symlinkSync(['/usr/bin', '/bin'].map((dir) => path.join(dir, tool)).find(fs.existsSync), path.join(bin, tool));
	if (npm)
		fs.writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\n${npm}\n`, {mode: 0o755});
	return {root, bin, to: path.join(root, 'build/kept')};
}

const fetched = ({bin, to}) => new Promise((resolve) => execFile('/bin/sh', [SCRIPT, to], {env: {PATH: bin}},
	(error, out, err) => resolve([error?.code ?? 0, out + err])));
const tree = (dir) => (fs.existsSync(dir) ? fs.readdirSync(dir, {recursive: true, withFileTypes: true})
	.filter((e) => e.isFile()).map((e) => path.relative(dir, path.join(e.parentPath ?? e.path, e.name))).sort() : []);
const LAID = ['package-lock.json', 'served/kept/uplot/LICENSE.txt', 'served/kept/uplot/uPlot.esm.js', 'served/kept/uplot/uPlot.min.css'];

test('downloaded once; a second call needs no network', async (t) => {
	const here = place(BRINGS);
	t.after(() => fs.rmSync(here.root, {recursive: true}));
	assert.deepEqual(await fetched(here), [0, '']);
	assert.deepEqual(tree(here.to), LAID);
	assert.equal(fs.readFileSync(path.join(here.to, 'package-lock.json'), 'utf8'), LOCK);
	fs.rmSync(path.join(here.bin, 'npm'));
	assert.deepEqual(await fetched(here), [0, '']);
});

test('another lock file: downloaded again', async (t) => {
	const here = place(BRINGS);
	t.after(() => fs.rmSync(here.root, {recursive: true}));
	fs.mkdirSync(path.join(here.to, 'served/kept/uplot'), {recursive: true});
	fs.writeFileSync(path.join(here.to, 'package-lock.json'), '{}');
	fs.writeFileSync(path.join(here.to, 'served/kept/uplot/old.js'), '');
	assert.deepEqual(await fetched(here), [0, '']);
	assert.deepEqual(tree(here.to), LAID);
});

// [what, npm, why]
const REFUSALS = [
	['no npm', null, '\'npm\' is not installed'],
	['no network', 'echo "npm error code EAI_AGAIN" >&2; exit 1', 'npm reports \'npm error code EAI_AGAIN\''],
	['a package with another layout', 'mkdir -p node_modules/uplot', 'its package has an unexpected layout'],
];
for (const [what, npm, why] of REFUSALS)
	test(`failure: ${what}`, async (t) => {
		const here = place(npm);
		t.after(() => fs.rmSync(here.root, {recursive: true}));
		assert.deepEqual(await fetched(here), [1, WHY(why)]);
		assert.deepEqual(tree(here.to), []);
	});
