// web.mjs - opens and reloads pages of two servers in turn, with simulated latency:
// `node web.mjs ROUNDS BUNDLE_PORT MODULES_PORT PAGE...`, with KERNSIFT_CHROMIUM.
//
// It prints a JSON object: for each page a list of rounds, each with the numbers of both sides.

import {createRequire} from 'node:module';

const {chromium} = createRequire(new URL('../web/package.json', import.meta.url))('playwright-core');
const LATENCY_MS = 40;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const [rounds, bundlePort, modulesPort, ...pages] = process.argv.slice(2);
const SIDES = [['bundle', bundlePort], ['modules', modulesPort]];

const browser = await chromium.launch({executablePath: process.env.KERNSIFT_CHROMIUM, args: FLAGS});

// Performs one load; returns the milliseconds until the page is complete.
async function timed(page, load) {
	const from = performance.now();
	await load();
	await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('main[aria-busy]'));
	return performance.now() - from;
}

async function measure(port, where) {
	const context = await browser.newContext();
	const page = await context.newPage();
	const cdp = await context.newCDPSession(page);
	let requests = 0;
	let bytes = 0;
	await cdp.send('Network.enable');
	await cdp.send('Network.emulateNetworkConditions',
		{offline: false, latency: LATENCY_MS, downloadThroughput: -1, uploadThroughput: -1});
	cdp.on('Network.loadingFinished', (e) => {
		requests++;
		bytes += e.encodedDataLength;
	});
	const first = await timed(page, () => page.goto(`http://127.0.0.1:${port}${where}`, {waitUntil: 'commit'}));
	await page.waitForLoadState('networkidle');
	const seen = {requests, bytes, first_ms: first};
	const reload = await timed(page, () => page.reload({waitUntil: 'commit'}));
	await page.waitForLoadState('networkidle');
	await context.close();
	return {...seen, reload_ms: reload};
}

const found = Object.fromEntries(pages.map((where) => [where, []]));
for (let i = 0; i < Number(rounds); i++)
	for (const where of pages) {
		const round = {};
		for (const [side, port] of i % 2 ? SIDES : [...SIDES].reverse())
			round[side] = await measure(port, where);
		found[where].push(round);
	}
await browser.close();
console.log(JSON.stringify(found));
