// gates.mjs - lists and filters gates, opens one of each outcome, and creates one.
//
// Before the gate is created, the page previews its runs.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

export const answers = {'/gates': doc.gates, '/gates/defaults': doc.gateDefaults, ...Object.fromEntries([1, 2, 3, 4].map((id) => [`/gates/${id}`, () => doc.gate(id)]))};
const run = (id, more) => ({id, created_at: `2026-03-15T00:${String(id).padStart(2, '0')}:00Z`, project: 'vllm', workload: 'decode', job: null, ...more});
// The form previews the sides of the gate that is repeated, even if the page is left.
const repeated = {'/runs/121': () => ({...run(21), id: 121}), '/runs': () => ({items: [run(9)], next: null})};

export default async function gates(test, {open, base}) {
	await test('listed, filtered, opened', async () => {
		const page = await open('/gates', {answers});
		assert.deepEqual((await cells(page, 'Gates')).map((r) => [r[0], r[1].replace(/\s+/g, ' '), r[2], r[6]]), [
			['pull request 7', '▲ regressed', 'an iteration takes 7.4 % longer, and 1 function is slower', '121,122,123'], ['gate 3', '✓ pass', 'within every limit', '121,122,123'],
			['gate 2', '? undecided', 'one rule is undecided; 7 runs of the head would probably decide', '121,122,123'], ['gate 1', '! bad data', 'the head lacks runs and records', '121,122,123']]);
		await page.getByLabel('Outcome').selectOption('pass');
		await seen(async () => assert.deepEqual((await cells(page, 'Gates')).map((r) => r[0]), ['gate 3']));
		await page.getByLabel('Project', {exact: true}).fill('vllm');
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(new URL(page.url()).search, '?outcome=pass&project=vllm'));
		await page.getByRole('link', {name: 'Clear'}).click();
		await page.getByRole('link', {name: 'pull request 7'}).click();
		await page.getByRole('heading', {name: 'An iteration takes 7.4 % longer, and 1 function is slower.'}).waitFor();
	});

	await test('a gate that regressed: rules, sides, files', async () => {
		const page = await open('/gates/4', {answers});
		assert.deepEqual((await cells(page, 'Rules of the gate')).map((r) => r.map((text) => text.replace(/\s+/g, ' ')).join(' | ')), [
			'Iteration an iteration takes 7.4 % longer, the limit is 2 % noise estimated also from 140 runs stored before the baseline | ▲ regressed | +7.4 % | +4.9 % to +9.8 % | +2.0 % | 10,000.000 | 10,740.000 | 0.0004 | – | 0.0003 | – | –',
			'void flash::<b>fwd</b><128>(Params) on NVIDIA H200 function it is slower, and this is 6.9 % of the iteration | ▲ regressed | +34.5 % +6.9 % of the iteration | +5.6 % to +8.2 % of the iteration | +1.0 % of the iteration | 2,000.000 | 2,690.000 | 0.0002 | 0.00025 | 0.0003 | – | –',
			'attention operator attention may be beyond 5 %; 7 runs of the head would probably decide | ? undecided | +5.6 % | −1.2 % to +12.4 % | +5.0 % | 2,500.000 | 2,640.000 | 0.09 | – | 0.0003 | – | 7 runs',
			'gemm operator slower than most of the baseline, but not than its newest part, from run 114 on | ✓ pass | +0.2 % | −1.0 % to +1.5 % | +5.0 % | 4,000.000 | 4,010.000 | 0.4 | – | 0.0003 | run 114 | –',
			'output_throughput measure the head is within the limit | ✓ pass | −1.8 % | −3.1 % to −0.6 % | −5.0 % | 7251 tokens/s | 7120 tokens/s | 0.3 | – | 0.0003 | – | –',
			'Headroom no time has a T_SOL | ? undecided | – | – | +2.0 % of the iteration | – | – | – | – | 0.0003 | – | the baseline is too small']);
		await page.getByText('0.0015 of 0.01: gate 2 of 3 of commit 9a463115c0').waitFor();
		assert.deepEqual(await page.locator('.title button').allInnerTexts(), ['Copy link', 'Copy as Markdown']);
		for (const term of ['Alpha of this gate', 'p, one-sided', 'p family'])
			await page.locator('.term', {hasText: term}).waitFor();
		const phone = await open('/gates/4', {answers, viewport: {width: 390, height: 844}});
		await phone.getByText('A badge for a README').click();
		assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is not wider than the window');
		assert.equal((await cells(phone, 'Rules of the gate'))[0][1].replace(/\s+/g, ' '), '▲ regressed +7.4 %');
		await page.getByText('7 runs of the head in total').waitFor();
		await page.getByText('31 functions within the limits are not stored.').waitFor();
		await page.getByText('20 runs, #101 to #120').click();
		assert.equal(await page.getByRole('link', {name: '#114'}).getAttribute('href'), '/runs/114');
		assert.match(await page.getByRole('link', {name: 'Compare both sides'}).getAttribute('href'), /^\/compare\?base=101,.*,120&head=121,122,123$/);
		assert.deepEqual(await page.locator('.toolbar .links a').evaluateAll((list) => list.map((a) => [a.textContent, a.getAttribute('href'), a.download])),
			[['Markdown', 'md', 'md'], ['JUnit', 'junit', 'xml'], ['JSON', 'json', 'json'], ['Badge', 'svg', 'svg']].map(([text, format, end]) => [text, `/api/v1/gates/4?format=${format}${format === 'md' ? `&site=${encodeURIComponent(base)}` : ''}`, `gate-4.${end}`]));
		await page.getByRole('button', {name: 'Change'}).click();
		await seen(async () => assert.match((await cells(page, 'Rules of the gate'))[0][0], /^void/));
		await page.getByText('A badge for a README').click();
		await page.getByText(/^!\[kernsift\]\(http:\/\/127\.0\.0\.1:\d+\/api\/v1\/badge\?project=vllm&workload=decode&name=pull\+request\+7\)$/).waitFor();
	});

	await test('the anchor of a gate: given or found, none with the reason, and one that an earlier version lacks', async () => {
		const card = async (id, more = {}) => {
			const page = await open(`/gates/${id}`, {answers: {...answers, [`/gates/${id}`]: () => ({...doc.gate(id), ...more})}});
			await page.getByRole('table', {name: 'Rules of the gate'}).or(page.getByText('No rules.')).first().waitFor();
			return page.locator('.side-card').filter({has: page.getByRole('heading', {name: 'Anchor'})});
		};
		const found = await card(4);
		assert.deepEqual((await found.innerText()).split('\n').filter(Boolean).slice(0, 2), ['Anchor', 'the lowest level of the last 90 days']);
		assert.match(await found.innerText(), /12 units of 4 commits, median 9\.900 ms, stored from .* to .*; the lowest of 2 levels$/);
		assert.equal(await found.getByRole('link', {name: '#22'}).getAttribute('href'), '/runs/22');
		const given = await card(4, {anchor: {...doc.gate(4).anchor, query: 'label.release=<b>2</b>', commits: null, levels: 1, runs: [11], units: 1, excluded_runs: 2}});
		assert.equal(await given.locator('code').innerText(), 'label.release=<b>2</b>');
		assert.match(await given.innerText(), /1 unit, median/);
		assert.match(await given.innerText(), /2 runs of other work excluded$/);
		assert.doesNotMatch(await given.innerText(), /levels/);
		assert.match(await (await card(2)).innerText(), /none: no earlier run of the same work is stored$/);
		assert.equal(await (await card(3)).count(), 0);
	});

	await test('an anchor that the server rejects: the message is in the form', async () => {
		const put = [];
		const page = await open('/gates', {allowed: /400/, answers: {...answers, '/runs/9': () => run(9), '/runs': () => ({items: [run(9)], next: null}), '/gates': (q, body) => {
			if (!body)
				return doc.gates(q);
			put.push(JSON.parse(body).anchor);
			return {refused: [400, 'bad_request', "anchor: 'label.release' is not KEY=VALUE"]};
		}}});
		await page.getByText('Create a gate').click();
		await page.getByLabel('Head', {exact: true}).fill('9');
		await page.getByLabel('Baseline', {exact: true}).fill('label.branch=main last=3');
		await page.getByLabel('Anchor', {exact: true}).fill(' label.release ');
		await page.getByRole('button', {name: 'Create gate', exact: true}).click();
		await page.getByText("Anchor: 'label.release' is not KEY=VALUE.").waitFor();
		assert.deepEqual(put, ['label.release']);
		assert.equal(new URL(page.url()).pathname, '/gates');
	});

	await test('bad data: the problems come first, then what differs', async () => {
		const page = await open('/gates/1', {answers});
		assert.deepEqual(await page.getByRole('listitem').filter({hasText: /[a-z]{4}/}).allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/g, ' '))),
			['The head has 1 run; 3 are demanded.', 'Run 121 dropped 12 records.', 'Warning The driver differs: 550.54 and 560.28.']);
		await page.getByText('No rules.').waitFor();
	});

	await test('a new gate: a preview of both sides, and a rejection in place', async () => {
		const requests = [];
		const put = [];
		const page = await open('/gates', {allowed: /422/, answers: {...answers, ...repeated,
			'/runs': (q) => { requests.push(q.toString()); return {items: q.has('until') ? [run(9), run(8), run(7)] : [run(12), run(11)], next: null}; },
			'/gates': (q, body) => {
				if (!body)
					return doc.gates(q);
				put.push(JSON.parse(body));
				return put.length === 1 ? {refused: [422, 'unprocessable', 'base: no run is before the head']} : doc.gate(3);
			}}});
		await page.getByText('Create a gate').click();
		await page.getByLabel('Head', {exact: true}).fill('label.branch=new last=2');
		await page.getByText('Matches 2 runs: #11, #12.').waitFor();
		await page.getByLabel('Baseline', {exact: true}).fill('label.branch=main last=3');
		await page.getByText('Matches 3 runs: #7, #8, #9.').waitFor();
		assert.deepEqual(requests.slice(-2), ['label.branch=new&limit=10', 'project=vllm&workload=decode&until=2026-03-15T00%3A11%3A00Z&label.branch=main&limit=11']);
		await page.getByLabel('Iteration, %').fill('x');
		await page.getByRole('button', {name: 'Create gate', exact: true}).click();
		await page.getByText('Iteration, %: \'x\' is not a number.').waitFor();
		await page.getByLabel('Iteration, %').fill('3');
		await page.getByLabel('Operators, %').fill('gemm=5');
		await page.getByLabel('Measures, %').fill('ttft_p99=4');
		await page.getByLabel('appeared').uncheck();
		await page.getByRole('button', {name: 'Create gate', exact: true}).click();
		await page.getByText('Base: no run is before the head.').waitFor();
		await page.getByLabel('Head', {exact: true}).press('Enter');
		await page.getByRole('heading', {name: 'Within every limit.'}).waitFor();
		assert.deepEqual(put[1], {base: 'label.branch=main last=3', head: 'label.branch=new last=2', iteration_pct: 3, operators: [{operator: 'gemm', pct: 5}], measures: [{measure: 'ttft_p99', pct: 4}], fail_on: ['regressed']});
		assert.equal(new URL(page.url()).pathname, '/gates/3');
		await page.getByRole('link', {name: 'Repeat this gate'}).click();
		await seen(async () => assert.equal(await page.getByLabel('Baseline', {exact: true}).inputValue(), 'label.branch=main last=20'));
		// an earlier release stored gate 3, without the project of its request
		assert.equal(new URL(page.url()).searchParams.get('query_project'), 'vllm');
	});

	await test('a gate is repeated with its policy, unit and anchor, and in the project of its request, not with the defaults', async () => {
		const put = [];
		const policy = {...doc.gate(4).policy, iteration_pct: null, operators: [{operator: 'gemm', pct: 0.5}, {operator: 'attention', pct: 5}], busbw_pct: 7, anchor_pct: 1.5, fail_on: ['improved'], min_runs: 3, reject_on: ['few_iterations', 'environment'], alpha: 0.05, noise_floor: 0.02, unit: 'sha', seed: 7};
		const stored = {...doc.gate(4), policy, anchor: {...doc.gate(4).anchor, query: 'label.release=v2 last=9'}};
		const page = await open('/gates/4', {answers: {...answers, ...repeated, '/gates/4': () => stored, '/gates': (q, body) => {
			if (!body)
				return doc.gates(q);
			put.push(JSON.parse(body));
			return doc.gate(3);
		}}});
		await page.getByRole('link', {name: 'Repeat this gate'}).click();
		await page.getByRole('button', {name: 'Create gate', exact: true}).click();
		await page.getByRole('heading', {name: 'Within every limit.'}).waitFor();
		const {base, head, name, project, workload, anchor, ...rest} = put[0];
		assert.deepEqual({base, head, name, project, workload, anchor}, {base: 'label.branch=main last=20', head: '121,122,123', name: 'pull request 7', project: 'vllm', workload: undefined, anchor: 'label.release=v2 last=9'});
		assert.deepEqual({...doc.gateDefaults(), ...rest}, policy);
	});

	await test('no gates yet, and a gate that does not exist', async () => {
		const page = await open('/gates', {answers: {...answers, '/gates': () => ({items: [], next: null})}});
		await page.getByRole('heading', {name: 'No gates yet'}).waitFor();
		// base and head are positional, as in `kernsift gate --help`
		await page.getByText("kernsift gate 'label.branch=main last=20' 12,13,14", {exact: true}).waitFor();
		const gone = await open('/gates/99', {allowed: /404/, answers: {'/gates/99': () => ({refused: [404, 'not_found', 'no gate 99']})}});
		await gone.getByText('no gate 99').waitFor();
	});
}
