// kept.test.mjs - tests web/kept/fetch, which downloads the packages of the dashboard once, and
// web/kept/bundle, which makes the files that the server sends.
//
// If the download fails, web/kept/fetch prints one line. npm and the bundler are stubs.

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import zlib from 'node:zlib';

const SCRIPT = fileURLToPath(new URL('../../web/kept/fetch', import.meta.url));
const LOCK = fs.readFileSync(new URL('../../web/kept/package-lock.json', import.meta.url), 'utf8');
const TOOLS = ['chmod', 'cmp', 'cp', 'cut', 'dirname', 'grep', 'mkdir', 'mktemp', 'mv', 'rm', 'sh'];
const BRINGS = 'd=node_modules/uplot; mkdir -p $d/dist; echo js >$d/dist/uPlot.esm.js; echo css >$d/dist/uPlot.min.css; echo license >$d/LICENSE; ' +
	'd=node_modules/@esbuild/linux-x64/bin; mkdir -p $d; echo program >$d/esbuild';
const WHY = (why) => `the dashboard's packages cannot be downloaded: ${why}; /trends will only have tables, ` +
	'and the pages are not bundled\n';

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
const LAID = ['esbuild', 'package-lock.json', 'served/kept/uplot/LICENSE.txt', 'served/kept/uplot/uPlot.esm.js', 'served/kept/uplot/uPlot.min.css'];

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
	['a package with another layout', 'mkdir -p node_modules/uplot', 'a package has an unexpected layout'],
	['no bundler for this kind of machine', BRINGS.replace('echo program', ': #'), 'a package has an unexpected layout'],
];
for (const [what, npm, why] of REFUSALS)
	test(`failure: ${what}`, async (t) => {
		const here = place(npm);
		t.after(() => fs.rmSync(here.root, {recursive: true}));
		assert.deepEqual(await fetched(here), [1, WHY(why)]);
		assert.deepEqual(tree(here.to), []);
	});

// ---- bundle

const BUNDLE = fileURLToPath(new URL('../../web/kept/bundle', import.meta.url));
const SHEET = (name) => `\t<link rel="stylesheet" href="/style/${name}.css">\n`;
const SCRIPT_TAG = '\t<script type="module" src="/app.js"></script>\n';
const FRAME = `<head>\n${SHEET('base')}${SHEET('tables')}${SCRIPT_TAG}</head>\n`;
const LONG = `// ${'a comment. '.repeat(100)}\n`;
// The bundler gets the style sheets in the order in which the page loads them.
const BUNDLER = `case " $* " in *" app=./app.js style=./style.css "*" --outdir=bundle "*) ;; *) exit 9 ;; esac
mkdir bundle; echo 'start()' >bundle/app-AAAA.js; cp style.css bundle/style-BBBB.css`;
// As with a module that is imported later: it has a script of its own, and both share a chunk.
const SPLITTER = `${BUNDLER}; echo 1 >bundle/late-DDDD.js; echo 2 >bundle/chunk-CCCC.js; echo 3 >bundle/chunk-EEEE.js`;

// Makes a small dashboard and a folder with a stub of the bundler, and bundles it.
function bundled(t, bundler, {frame = FRAME} = {}) {
	const root = fs.mkdtempSync(path.join(os.tmpdir(), 'ks-bundle-'));
	t.after(() => fs.rmSync(root, {recursive: true}));
	const put = (name, text, mode = 0o644) => {
		fs.mkdirSync(path.join(root, path.dirname(name)), {recursive: true});
		fs.writeFileSync(path.join(root, name), text, {mode});
	};
	put('web/index.html', frame);
	put('web/app.js', LONG);
	put('web/icon.svg', '<svg/>');
	put('web/lib/dom.js', 'export {}');
	put('web/pages/runs.js', 'export {}');
	put('web/style/base.css', 'a{}');
	put('web/style/README.md', 'words');
	put('web/package.json', '{}');
	for (const name of ['fetch', 'bundle', '.npmrc', 'package-lock.json', 'package.json'])
		put(`web/kept/${name}`, 'x');
	put('page/old.js', 'of an earlier build');
	put('kept/served/kept/uplot/uPlot.esm.js', LONG);
	if (bundler)
		put('kept/esbuild', `#!/bin/sh\n${bundler}\n`, 0o755);
	const page = path.join(root, 'page');
	return new Promise((resolve) => execFile('/bin/sh', [BUNDLE, path.join(root, 'web'), path.join(root, 'kept'), page],
		(error, out, err) => resolve({code: error?.code ?? 0, err, files: tree(page),
			read: (name) => fs.readFileSync(path.join(page, name))})));
}

test('bundled: one script and one style sheet, named by their hashes', async (t) => {
	const made = await bundled(t, BUNDLER);
	assert.deepEqual([made.code, made.err], [0, '']);
	assert.deepEqual(made.files, ['bundle/app-AAAA.js', 'bundle/style-BBBB.css', 'icon.svg', 'index.html',
		'kept/package.json', 'kept/uplot/uPlot.esm.js', 'kept/uplot/uPlot.esm.js.gz']);
	assert.equal(made.read('index.html').toString(),
		'<head>\n\t<link rel="stylesheet" href="/bundle/style-BBBB.css">\n' +
		'\t<script type="module" src="/bundle/app-AAAA.js"></script>\n</head>\n');
	assert.equal(made.read('bundle/style-BBBB.css').toString(),
		'@import "./style/base.css";\n@import "./style/tables.css";\n');
});

test('bundled: what both scripts share is linked before the first one', async (t) => {
	const made = await bundled(t, SPLITTER);
	assert.deepEqual([made.code, made.err], [0, '']);
	assert.equal(made.read('index.html').toString(),
		'<head>\n\t<link rel="stylesheet" href="/bundle/style-BBBB.css">\n' +
		'\t<link rel="modulepreload" href="/bundle/chunk-EEEE.js">\n\t<link rel="modulepreload" href="/bundle/chunk-CCCC.js">\n' +
		'\t<script type="module" src="/bundle/app-AAAA.js"></script>\n</head>\n');
});

test('without the bundler: the modules, and long ones have a copy compressed by gzip', async (t) => {
	const made = await bundled(t, null);
	assert.deepEqual([made.code, made.err], [0, '']);
	assert.deepEqual(made.files, ['app.js', 'app.js.gz', 'icon.svg', 'index.html', 'kept/package.json',
		'kept/uplot/uPlot.esm.js', 'kept/uplot/uPlot.esm.js.gz', 'lib/dom.js', 'package.json', 'pages/runs.js',
		'style/base.css']);
	assert.equal(made.read('index.html').toString(), FRAME);
	assert.equal(zlib.gunzipSync(made.read('app.js.gz')).toString(), LONG);
});

// [what is odd, bundler, options, the error]
const FAULTS = [
	['a module that cannot be bundled', 'echo "app.js: unexpected end" >&2; exit 1', {}, 'app.js: unexpected end\n'],
	['a frame without style sheets', BUNDLER, {frame: SCRIPT_TAG},
		'bundle: index.html does not load /app.js and style sheets\n'],
	['a frame with another script', BUNDLER, {frame: FRAME.replace('app.js', 'main.js')},
		'bundle: index.html does not load /app.js and style sheets\n'],
];
for (const [what, bundler, options, why] of FAULTS)
	test(`not bundled: ${what}`, async (t) => {
		const {code, err} = await bundled(t, bundler, options);
		assert.deepEqual([code, err], [1, why]);
	});
