// home.mjs - tests the home page: each line with its number and its link, the scope that stays over
// pages, and answers that fail, are slow or end early.

import assert from 'node:assert/strict';
import * as two from '../compare/documents.mjs';
import * as fleet from '../importance/documents.mjs';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const even = () => ({...two.job(), unbalanced: false});
export const answers = {'/home': doc.home, '/importance': (q) => fleet.fleet(q), '/jobs/3': () => two.job(), '/jobs/2': even};
const refused = {refused: [503, 'busy', 'the database does not answer']};
const section = (page, name) => page.getByRole('region', {name, exact: true});
const lines = (page, name) => section(page, name).locator('li').evaluateAll((list) => list.map((li) => li.textContent));
const AGO = / (just now|\d+ (s|min|h|days?) ago)$/;
const plain = (list) => list.map((text) => text.replace(AGO, ''));

export default async function home(test, {open}) {
	await test('what needs attention: each in one line with its number and a link', async () => {
		const page = await open('/?since=2026-11-01', {answers});
		await seen(async () => assert.deepEqual(plain(await lines(page, 'Needs attention')), [
			`Gate regressed${doc.ODD}: iteration + 4.2 %, limit 3 %`, '2 more regressed gates',
			'Change pointIteration of ci / steps: +8.0 %, since run 61',
			'Change pointgemm of decode: the size of the change is unknown, since run 151',
			'Slower branchfast "norm" of ci / steps: median iteration +6.3 % against main, longer in each of 3 runs, not tested',
			'Slow GPUnode7 0000:57:00.0: +6.1 % time relative to the median GPU',
			'Upload failed<b>cut</b>.json: the list of events is empty',
			`Unbalanced rankstrain: ${two.job().headline}`]));
		const links = await section(page, 'Needs attention').locator('a').evaluateAll((list) => list.map((a) => a.getAttribute('href')));
		assert.deepEqual(links, ['/gates/4', '/gates?since=2026-11-01&outcome=regressed', '/trends?project=ci&workload=steps&metric=iteration', '/runs/61',
			'/trends?project=&workload=decode&metric=operator&of=gemm', '/runs/151',
			`/compare?${new URLSearchParams({base: 'project=ci workload=steps label.branch=main last=5', head: 'project=ci workload=steps label.branch="fast \\"norm\\"" last=5'})}`, '/devices?project=ci&verdict=slow', '/uploads?state=failed', '/jobs/3']);
		assert.equal(await page.locator('main img, main b').count(), 0);
	});

	await test('the hours of each day, as a chart by keys and as a table', async () => {
		const page = await open('/?since=2026-11-01', {answers});
		const chart = page.getByRole('img', {name: 'GPU-hours per day by operator: 210 GPU-hours in 12 days'});
		await chart.focus();
		await page.keyboard.press('End');
		const last = `2026-11-28: 30.0 GPU-hours of 15 runs, gemm 15.0, unified_attention 7.5, ${doc.ODD} 1.9, other operators 3.8, unattributed 1.9`;
		await seen(async () => assert.equal(await page.locator('#news').textContent(), last));
		await section(page, 'Where GPU time is used').getByText('Data table').click();
		await seen(async () => assert.deepEqual((await cells(page, /^GPU-hours per day by operator.*data$/)).slice(4, 6),
			[['2026-11-21', '8', '16.0', '8.0', '4.0', '1.0', '2.0', '1.0'], ['2026-11-22', '0', '0', '–', '–', '–', '–', '–']]));
		await seen(async () => assert.deepEqual(await page.getByRole('list', {name: 'Series'}).locator('li').allTextContents(),
			['gemm', 'unified_attention', doc.ODD, 'other operators', 'unattributed']));
	});

	await test('headroom in GPU-hours, workloads with a sparkline, the newest of each kind', async () => {
		const page = await open('/?since=2026-11-01&project=ci', {answers});
		// hours times headroom: 2606 * 0.361 * 0.52
		await seen(async () => assert.deepEqual((await cells(page, 'Largest headroom')).slice(0, 2),
			[['unified_attention', '489', '18.8 %', '36.1 %'], ['all_reduce', '≤ 235', '≤ 9.0 %', '12.0 %']]));
		assert.equal(await page.getByRole('cell', {name: '≤ 235'}).getAttribute('title'), '234.54 of the 2606 GPU-hours that the runs represent, waiting for other ranks included: an upper bound');
		await section(page, 'Largest headroom').getByText('≤: a collective.').waitFor();
		assert.equal(await page.getByRole('link', {name: 'unified_attention'}).getAttribute('href'), '/importance?project=ci&since=2026-11-01&open=unified_attention');
		await seen(async () => assert.deepEqual((await cells(page, 'Workloads')).map((r) => r.slice(0, 5)),
			[['ci / steps', '10.800 ms', '', '9.900 ms to 10.800 ms', '30'], ['table only', '–', '–', '–', '30'],
				['ci / decode', '8.800 ms NVIDIA B300', '–', '–', '30']]));
		// The number of runs links to their list, which cannot be filtered by an empty project.
		const runs = page.getByRole('table', {name: 'Workloads'}).getByRole('link', {name: '30', exact: true});
		await seen(async () => assert.deepEqual(await runs.evaluateAll((all) => all.map((a) => a.getAttribute('href'))),
			['/runs?project=ci&workload=steps&since=2026-11-01', '/runs?project=ci&workload=decode&since=2026-11-01']));
		await page.getByText('Runs of project ci, since 2026-11-01. Slow GPUs, the last gate and the newest run are of any time.').waitFor();
		// Values of one device; the range of a single value is none.
		const row = page.getByRole('row', {name: /^ci \/ decode/}).locator('td');
		assert.equal(await row.nth(0).getAttribute('title'), '8,800,000 ns on NVIDIA B300, as the other values of this row; a job counts once, with the mean over its ranks');
		assert.equal(await row.nth(2).getAttribute('title'), 'one value; a job counts once, with the mean over its ranks');
		await page.getByRole('img', {name: 'Median iteration of the last 4 runs: from 10.000 ms to 10.800 ms, lowest 9.900 ms, highest 10.800 ms'}).waitFor();
		await page.getByRole('link', {name: '7 more workloads'}).waitFor();
		await seen(async () => assert.deepEqual(plain(await lines(page, 'Newest')), ['✓passLast gate: gate 5', 'Newest run: rank 0 of ci / steps']));
	});

	await test('project, workload and time range stay from page to page', async () => {
		const page = await open('/?project=ci&workload=steps&since=2026-11-01', {answers: {...answers, '/gates': () => doc.gates()}});
		const go = async (name, want) => {
			await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name, exact: true}).click();
			await page.getByRole('heading', {level: 1}).waitFor();
			await seen(async () => assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, want));
		};
		const all = 'project=ci&workload=steps&since=2026-11-01';
		await go('Runs', `/runs?${all}`);
		await go('Jobs', '/jobs?project=ci');
		await go('Uploads', '/uploads');
		await go('Importance', `/importance?${all}`);
		await go('Gates', `/gates?${all}`);
		await go('Devices', `/devices?${all}`);
		await go('Trends', `/trends?${all}`);
		await go('Home', `/?${all}`);
		await page.getByRole('link', {name: 'Clear'}).click();
		await go('Runs', '/runs');
	});

	await test('the form and the ranges change the address', async () => {
		const requests = [];
		const page = await open('/', {answers: {...answers, '/home': (q) => {
			requests.push(q.toString());
			return doc.home(q);
		}}});
		await page.getByLabel('Project', {exact: true}).fill('ci');
		await page.getByLabel('Since', {exact: true}).fill('');
		await page.getByRole('button', {name: 'Show'}).click();
		await seen(async () => assert.equal(new URL(page.url()).search, '?project=ci&since=1970-01-01'));
		await page.getByRole('link', {name: '7 days'}).click();
		const day = (days) => new Date(Date.now() - days * 86400000).toISOString().slice(0, 10);
		await seen(async () => assert.deepEqual(requests, [`since=${day(30)}`, 'project=ci&since=1970-01-01', `project=ci&since=${day(7)}`]));
	});

	await test('a part that fails says what is missing, and the others stay', async () => {
		let broken = true;
		const page = await open('/', {allowed: /503/, answers: {...answers, '/home': (q) => (broken ? refused : doc.home(q)), '/jobs/2': () => refused}});
		await seen(async () => assert.deepEqual(await page.locator('main .wrong').allTextContents(), [
			'Gates, change points, branches, slow GPUs and uploads are missing: the database does not answer.', 'The hours of each day are missing: the database does not answer.',
			'Workloads are missing: the database does not answer.', 'The last gate and the newest run are missing: the database does not answer.']));
		await page.getByRole('table', {name: 'Largest headroom'}).waitFor();
		broken = false;
		await page.getByRole('button', {name: 'Try again'}).first().click();
		await page.getByRole('table', {name: 'Workloads'}).waitFor();
		await seen(async () => assert.equal(await page.locator('main .wrong').count(), 0));
		await seen(async () => assert.equal((await lines(page, 'Needs attention')).at(-1), 'Job not readranks of upload 12: the database does not answer'));
	});

	await test('an answer that is slow, and one that ends early', async () => {
		const page = await open('/help', {answers});
		let release;
		const released = new Promise((resolve) => {
			release = resolve;
		});
		await page.route(/\/api\/v1\/importance/, async (route) => {
			await released;
			await route.fulfill({status: 200, contentType: 'application/json', body: '{"items": [{"operator": "ge'});
		});
		await page.route(/\/api\/v1\/jobs\/3/, async (route) => {
			await released;
			await route.fulfill({json: two.job()});
		});
		await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Home', exact: true}).click();
		await page.getByRole('table', {name: 'Workloads'}).waitFor();
		await seen(async () => assert.equal(await section(page, 'Largest headroom').locator('.loading').innerText(), 'Loading…'));
		await seen(async () => assert.equal((await lines(page, 'Needs attention')).length, 7));
		await seen(async () => assert.equal(await section(page, 'Needs attention').locator('.hint').innerText(), 'The ranks of the 2 newest jobs are being compared.'));
		release();
		await seen(async () => assert.equal((await lines(page, 'Needs attention')).length, 8));
		await seen(async () => assert.equal(await section(page, 'Needs attention').locator('.hint').innerText(), 'The ranks of the 2 newest jobs were compared.'));
		await seen(async () => assert.equal(await section(page, 'Largest headroom').locator('.wrong').innerText(),
			'Operators are missing: the answer of the server cannot be read.'));
	});

	await test('a quiet time is not an empty server', async () => {
		const quiet = {...doc.emptyHome(), newest_run: doc.home().newest_run};
		const page = await open('/?since=2026-11-01', {answers: {...answers, '/home': () => quiet, '/importance': (q) => fleet.fleet(q, {none: true})}});
		await seen(async () => assert.equal(await section(page, 'Needs attention').locator('p').innerText(), 'Nothing since 2026-11-01.'));
		await seen(async () => assert.equal(await section(page, 'Where GPU time is used').locator('p').innerText(), 'No run of these days has GPU time.'));
		await seen(async () => assert.equal(await section(page, 'Largest headroom').locator('p').innerText(), 'No operator has a known headroom.'));
		await seen(async () => assert.equal(await page.getByText('No run is in this range.').count(), 1));
		assert.equal(await page.locator('.empty').count(), 0);
	});
}
