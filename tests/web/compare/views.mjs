// views.mjs - tests the comparison page with given documents.
//
// Rows are folded, sorted, filtered and opened. The address stores all of that. The page must
// be fast with many rows.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const WHERE = '/compare?base=1,2&head=3,4';
const TABLE = 'Functions';
const names = async (page) => (await cells(page, TABLE)).filter((r) => r.length > 1).map((r) => r[1]);
const CHANGED = ['slower', 'fresh', 'faster', 'gone', 'moved', 'slightly', 'doubtful'];

// Opens the page with this document; also returns the queries that the page sent.
async function given(open, made, where = WHERE) {
	const requests = [];
	const answers = {'/compare/series': doc.series, '/compare': (q) => {
		requests.push(q.toString());
		return q.get('score') === 'published' ? doc.published() : made;
	}};
	return {page: await open(where, {answers}), requests};
}

export default async function views(test, {open}) {
	await test('the headline and the findings come first, then the sides, then the time', async () => {
		const {page} = await given(open, doc.comparison());
		await seen(async () => assert.equal(await page.locator('h1').innerText(), 'The iteration takes 3.00 ms (7.5 %) longer: slower regressed by 1.00 ms'));
		await seen(async () => assert.equal(await page.title(), '#1, #2 with #3, #4 · kernsift'));
		await seen(async () => assert.equal(await page.locator('.notes li').first().innerText(),
			'Warning\nThe surroundings differ: GPU driver 550.54.15 in the base, 560.28.03 in the head.'));
		await page.getByText('A test over runs needs at least 4 per side (base 2, head 2).').waitFor();
		await seen(async () => assert.equal(await page.locator('.banner').count(), 0));
		await seen(async () => assert.equal(await page.getByRole('region', {name: 'Base', exact: true}).getByText('24 of 25 iterations used').count(), 1));
		await seen(async () => assert.deepEqual((await cells(page, 'Time of an iteration')).map((r) => r.slice(0, 6)), [
			['Iteration', '40.00', '43.00', '+3.00', '+7.5 %', '▲\nregressed'],
			['Compute', '28.00', '30.60', '+2.60', '+9.3 %', '▲\nregressed'],
			['Communication', '4.00', '4.10', '+0.10', '+2.5 %', '=\nunchanged'],
			['Copies', '1.00', '1.02', '+0.02', '+2.0 %', '=\nunchanged'],
			['Idle (host)', '7.00', '7.28', '+0.28', '+4.0 %', '?\nundecided'],
			['Idle: host gap', '5.00', '5.50', '+0.50', '+10.0 %', '▲\nregressed'],
			['Idle: unknown', '2.00', '1.78', '−0.22', '−11.0 %', '?\nundecided'],
			['Host waits for device', '20.00', '21.00', '+1.00', '+5.0 %', '≈\nlikely']]));
		await seen(async () => assert.equal(await page.locator('.stack-part.compute').first().evaluate((e) => Math.round(100 * e.clientWidth / e.parentElement.clientWidth)),
			65, 'compute is 28 of the 43 ms that the wider bar represents'));
		await seen(async () => assert.match(await page.locator('.common').innerText(), /^Uniform change: \+1\.2 % \(95 % \+0\.4 % to \+2\.0 %\), \+182\.000 µs per iteration\. 31 kernels/));
	});

	await test('the outcome and the buttons that copy are beside the headline, in sight', async () => {
		for (const [made, outcome] of [[doc.comparison(), '▲\nregressed'], [doc.comparison({refused: true}), '!\nnot comparable']])
			for (const width of [1280, 390]) {
				const page = await open(WHERE, {answers: {'/compare': () => made}, viewport: {width, height: 844}});
				assert.equal(await page.locator('.title .outcome').innerText(), outcome);
				for (const place of ['.outcome', 'h1', 'button:text("Copy link")', 'button:text("Copy as Markdown")']) {
					const box = await page.locator('.title').locator(place).boundingBox();
					assert.ok(box.y + box.height < 600, `${place} ends at ${box.y + box.height}`);
				}
				assert.equal(await page.getByRole('button', {name: 'Copy as Markdown'}).count(), 1);
			}
	});

	await test('the terms of the change add up as they are shown', async () => {
		const {page} = await given(open, doc.comparison());
		const table = 'Terms of the mean time per output token';
		await seen(async () => assert.deepEqual(await cells(page, table), [
			['mean time per output token', '21,000.000', '18,500.001', '−2,499.999', '–'],
			['compute', '16,500.000', '14,280.001', '−2,219.999', '−2,719.999 to −1,719.999'],
			['host gap', '3,500.000', '2,920.000', '−580.000', '−680.000 to −480.000'],
			['outside engine', '1,000.000', '1,300.000', '+300.000', '−300.000 to +900.000']]));
		await page.getByText('Median: 20.000 ms in the base, 17.200 ms in the head. Accepted tokens per step: 2 in the base, 2.5 in ' +
			'the head; their change makes −4,150.000 µs of the change.', {exact: true}).waitFor();
		const made = doc.comparison();
		const other = await given(open, {...made, decompositions: made.decompositions.slice(0, 1), tokens_reason: 'the tokens of the iterations of run 1 are not known'});
		await seen(async () => assert.equal((await cells(other.page, 'Terms of the mean iteration')).length, 6));
		await seen(async () => assert.equal(await other.page.getByRole('heading', {name: 'Terms of the mean iteration'}).count(), 1));
		await other.page.getByText('This is the time per step, not per output token: the tokens of the iterations of run 1 are not known.').waitFor();
		const training = await given(open, {...made, decompositions: made.decompositions.slice(0, 1)});
		const closed = training.page.locator('details', {hasText: 'Terms of the mean iteration'});
		await closed.locator('summary').click();
		await seen(async () => assert.equal((await cells(training.page, 'Terms of the mean iteration')).at(-1)[0], 'unknown'));
		await seen(async () => assert.equal(await training.page.getByRole('heading', {name: 'Terms of the mean iteration'}).count(), 0));
	});

	await test('kinds of work: each is a link to its own comparison, and one that only the base has is none', async () => {
		const {page, requests} = await given(open, doc.comparison());
		await seen(async () => assert.deepEqual(await cells(page, 'Kinds of work'), [
			['decode, 16 sequences, 16 tokens\nshown below', 'label', '12', '80.0 % → 82.0 %', '40.00', '43.00', '+3.00', '+7.5 %', '▲\nregressed'],
			['unlabeled work of 23 kernels', 'sizes', '12', '15.0 % → 17.0 %', '90.00', '91.00', '+1.00', '+1.1 %', '?\nundecided'],
			['prefill, 1 sequence, 512 tokens', 'alone', '12 → 0', '5.0 % → –', '70.00', '–', '–', '–', '–']]));
		await page.getByRole('link', {name: 'unlabeled work of 23 kernels'}).click();
		await seen(async () => assert.equal(new URLSearchParams(requests.at(-1)).get('group'), '1'));
		assert.equal(new URL(page.url()).searchParams.get('group'), '1');
	});

	await test('a refused comparison: a banner, no verdicts, and no folded rows', async () => {
		const {page} = await given(open, doc.comparison({refused: true}));
		await seen(async () => assert.equal(await page.locator('.banner').innerText(),
			'These numbers are not comparable\n\nThe work differs: 16 sequences in the base, 64 in the head; nothing is judged.'));
		// Neither the summary nor a table shows a difference before the reader opens them.
		assert.equal(await page.locator('.title .outcome').innerText(), '!\nnot comparable');
		assert.deepEqual(await page.locator('.delta, .stack').evaluateAll((all) => all.filter((e) => e.checkVisibility())), []);
		assert.deepEqual((await cells(page, 'Kinds of work')).map((r) => r.slice(6)), [['–', '–', '–'], ['–', '–', '–'], ['–', '–', '–']]);
		await page.getByText('Show the differences anyway').click();
		await page.getByText('Descriptive only: the sides are not comparable, so no difference below is judged.').waitFor();
		await page.getByRole('table', {name: TABLE}).waitFor();
		await seen(async () => assert.equal((await names(page)).length, 13));
		await seen(async () => assert.equal(await page.locator('.chip').count(), 0));
		await seen(async () => assert.ok(!await page.locator('.fold-line').isVisible()));
		await seen(async () => assert.deepEqual([...new Set((await cells(page, TABLE)).map((r) => r[0]))], ['–']));
	});

	await test('unchanged functions are folded with their count; classes, filter and order are in the address', async () => {
		const {page} = await given(open, doc.comparison());
		await seen(async () => assert.deepEqual(await names(page), CHANGED));
		await page.getByRole('button', {name: 'Show 6 unchanged functions'}).click();
		await seen(async () => assert.equal((await names(page)).length, 13));
		await page.getByRole('button', {name: 'Hide unchanged functions'}).click();
		await seen(async () => assert.equal(new URL(page.url()).searchParams.get('show'), null));
		await page.getByLabel(/undecided/).uncheck();
		await page.getByLabel(/likely/).uncheck();
		await page.getByLabel(/within margin/).uncheck();
		await page.getByRole('button', {name: 'Δ per iteration'}).click();
		await seen(async () => assert.deepEqual(await names(page), ['slower', 'fresh', 'gone', 'faster']));
		await page.getByLabel('Filter functions by name or device').fill('F');
		await page.getByText('4 of 13 functions').waitFor();
		await page.getByLabel('Filter functions by name or device').fill('fA');
		await seen(async () => assert.deepEqual(await names(page), ['faster']));
		const address = new URL(page.url());
		assert.equal(address.searchParams.get('show'), 'regressed,appeared,improved,vanished');
		const {page: again} = await given(open, doc.comparison(), address.pathname + address.search);
		await seen(async () => assert.deepEqual(await names(again), ['faster']));
		await seen(async () => assert.equal(await again.locator('th[aria-sort="descending"]').innerText(), 'Δ per iteration (µs)'));
		await again.getByLabel('Full names').check();
		await seen(async () => assert.deepEqual(await names(again), ['void faster<float>(float*, int)']));
		assert.equal(new URL(again.url()).searchParams.get('names'), 'full');
	});

	await test('a row opens to its full name and its iterations; the address opens it again', async () => {
		const {page} = await given(open, doc.comparison());
		await page.getByRole('button', {name: 'slower', exact: true}).click();
		await page.getByRole('img', {name: 'Time per iteration, slower: 24 iterations of the base, 24 iterations of the head'}).waitFor();
		await page.getByText('void slower<float>(float*, int)').waitFor();
		await page.locator('.inside dt .term', {hasText: 'p of this row'}).hover();
		await page.locator('.tip').getByText(/^Probability that chance alone changes this row/).waitFor();
		await page.getByText('0 ns by the number of launches, +1.000 ms by the duration of each launch').waitFor();
		await seen(async () => assert.deepEqual(await cells(page, 'Counters of slower'), [['gpu_sm_frequency', '1,980', '1,410.5']]));
		await page.locator('.inside .numbers summary').first().click();
		const table = await cells(page, 'Time per iteration, data');
		assert.equal(table.length, 48);
		assert.deepEqual([...new Set(table.map((r) => r.slice(0, 2).join()))], ['Base,#1', 'Base,#2', 'Head,#3', 'Head,#4']);
		const address = new URL(page.url());
		const {page: again} = await given(open, doc.comparison(), address.pathname + address.search);
		await again.getByRole('img', {name: /^β, share of the iteration, slower/}).waitFor();
	});

	await test('a kernel with another number shows both names and what the match is based on', async () => {
		const made = doc.comparison();
		const reason = 'renamed (inferred): the names are equal except for the number; equal: grid and block';
		Object.assign(made.items[0], {function: 'fusion_12', short_name: 'fusion_12', distinct_name: 'fusion_12', head_function: 'fusion_9', head_short_name: 'fusion_9', head_distinct_name: 'fusion_9',
			identity: 'renamed', identity_reason: reason, base_functions: ['fusion_12'], head_functions: ['fusion_9']});
		const {page} = await given(open, made);
		await seen(async () => assert.equal((await names(page))[0], 'fusion_9\nrenamed (inferred); in the base\nfusion_12'));
		await page.getByLabel('Filter functions by name or device').fill('fusion_12');
		await page.getByText('1 of 13 functions').waitFor();
		await page.getByRole('button', {name: /^fusion_9/}).click();
		await page.getByRole('img', {name: /^Time per iteration, fusion_9:/}).waitFor();
		await page.getByText(reason).waitFor();
		await seen(async () => assert.equal(await page.locator('dt', {hasText: 'Name in the base'}).count(), 1));
	});

	await test('what appeared and vanished is listed separately, and links to its row even if filters hide it', async () => {
		const {page} = await given(open, doc.comparison(), `${WHERE}&show=improved&q=faster`);
		await seen(async () => assert.deepEqual(await names(page), ['faster']));
		await page.getByRole('region', {name: 'Vanished'}).getByRole('button', {name: 'gone'}).click();
		await page.getByText('void gone<float>(float*, int)').waitFor();
		await seen(async () => assert.equal(await page.evaluate(() => document.activeElement.innerText), 'gone'));
		await seen(async () => assert.equal(await page.getByRole('region', {name: 'Appeared'}).getByText('GPU 0, 900.000 µs per iteration').count(), 1));
	});

	await test('every iteration is a dot, by duration and in order, and in the table', async () => {
		const {page} = await given(open, doc.comparison());
		const chart = page.getByRole('img', {name: /^Durations of 24 iterations of the base/});
		const dots = () => chart.locator('path.dots').evaluateAll((all) => all.map((p) => p.getAttribute('d').split('M').length - 1));
		await seen(async () => assert.deepEqual(await dots(), [24, 24]));
		await page.getByLabel('In order').check();
		await seen(async () => assert.match(page.url(), /iterations=order/));
		await seen(async () => assert.deepEqual(await dots(), [24, 24]));
		await seen(async () => {
			const box = await chart.boundingBox();
			await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2);
			await page.getByText(/^Head, run #4, iteration 2\d of 24: 4\d\.\d{3} ms$/).waitFor({timeout: 2000});
		});
		await page.locator('.numbers summary').first().click();
		await seen(async () => assert.equal((await cells(page, 'Duration of each compared iteration, data')).length, 48));
	});

	await test('the published score has its own tab and columns; back returns to the comparison', async () => {
		const {page} = await given(open, doc.comparison());
		await page.getByRole('tab', {name: 'Published score'}).click();
		await page.getByRole('table', {name: 'Published score'}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).searchParams.get('score'), 'published'));
		await seen(async () => assert.equal(await page.getByRole('table', {name: 'Published score'}).locator('thead th').count(), 17));
		await seen(async () => assert.deepEqual((await cells(page, 'Published score'))[0], ['slower', 'gpu_sm_util', 'GPU 0', '234.44', '3.208', '0.847', '−2.361', '−80.78',
			'0.0000', '0.0003', '7.250', '2.000', '−5.250', '−11.34', '−18.53', '0.0000', '0.0005']));
		await page.getByRole('link', {name: 'Swap base and head'}).click();
		await page.waitForURL(/base=3,4&head=1,2/);
		await page.goBack();
		await page.getByRole('table', {name: 'Published score'}).waitFor();
		await seen(async () => assert.match(page.url(), /base=1,2&head=3,4&score=published/));
	});

	await test('the options are shown, and can be changed', async () => {
		const {page, requests} = await given(open, doc.comparison());
		const summary = page.locator('.options summary');
		await seen(async () => assert.equal(await summary.innerText(),
			'Noise floor 3.0 % (default), margin 5.0 %, alpha 0.05, 2,000 permutations of blocks of 3 iterations, seed 1'));
		await summary.click();
		await page.locator('.options .term', {hasText: 'p family'}).hover();
		await page.locator('.tip').getByText('Probability that chance alone changes at least one row by this much.').waitFor();
		assert.equal(await page.locator('.tip a').getAttribute('href'), '/help#term-p-family');
		await page.getByLabel('Noise floor, %').fill('2.5');
		await page.getByLabel('Range of an iteration').fill('step');
		await page.getByRole('button', {name: 'Compare again'}).click();
		await page.waitForURL(/floor=0\.025/);
		await page.getByText('Noise floor 3.0 % (given)').waitFor();
		await seen(async () => assert.equal(requests.at(-1), 'base=1%2C2&head=3%2C4&range=step&noise_floor=0.025'));
		await page.goBack();
		await page.getByText('Noise floor 3.0 % (default)').waitFor();
	});

	await test('with the keyboard: from the headline to a function\'s iterations, and to the other score', async () => {
		const {page} = await given(open, doc.comparison());
		const focus = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') || document.activeElement.innerText);
		const until = async (name) => {
			for (let i = 0; i < 120 && await focus() !== name; i++)
				await page.keyboard.press('Tab');
			await seen(async () => assert.equal(await focus(), name));
		};
		await until('Swap base and head');
		await until('Verdict');
		await until('Filter functions by name or device');
		await page.keyboard.type('fresh');
		await page.getByText('1 of 13 functions').waitFor();
		await until('fresh');
		await page.keyboard.press('Enter');
		await page.getByRole('img', {name: /^Time per iteration, fresh/}).waitFor();
		await seen(async () => assert.equal(await focus(), 'fresh', 'the focus stays on the row'));
		await page.getByRole('tab', {name: 'Verdict'}).focus();
		await page.keyboard.press('ArrowRight');
		await page.getByRole('table', {name: 'Published score'}).waitFor();
	});

	await test('a thousand functions and 4,000 iterations: only visible rows are created, and all dots are two paths', async () => {
		const {page} = await given(open, doc.comparison({unchanged: 1000, iterations: 2000}));
		const made = () => page.getByRole('table', {name: TABLE}).locator('tbody tr').count();
		await page.getByRole('button', {name: 'Show 1,000 unchanged functions'}).click();
		await seen(async () => assert.ok(await made() < 500, 'of 1,007 rows'));
		await seen(async () => assert.equal(await page.getByRole('table', {name: TABLE}).getAttribute('aria-rowcount'), '1008'));
		await page.getByLabel('Filter functions by name or device').fill('steady_9');
		await page.getByText('111 of 1,007 functions').waitFor();
		await seen(async () => assert.equal(await made(), 111));
		await seen(async () => assert.equal(await page.getByRole('img', {name: /^Durations of 2,000/}).locator('path').count(), 2));
	});

	await test('ranks over time: the slow rank in its iterations, by key and as a table; without an answer, the rest stays', async () => {
		const answers = {'/jobs/3': doc.job, '/jobs': doc.jobs, '/jobs/3/all-to-all': doc.exchanges, '/jobs/3/steps': doc.jobSteps};
		const page = await open('/jobs/3', {answers});
		await page.getByText('Rank 2 computes longer than the median rank in iterations 66 to 130, by up to 100.0 %.').waitFor();
		await page.getByText('Not shown: rank 3, because 129 iterations were found, on other ranks 130.').waitFor();
		await page.getByRole('img', {name: 'Compute time, above the median rank: 3 ranks, 130 iterations'}).focus();
		await page.keyboard.press('End');
		await seen(async () => assert.equal(await page.locator('section[aria-labelledby=steps] .readout').innerText(),
			'Rank 2, iterations 128 to 130 (ProfilerStep#132): computes 6.000 ms, +100.0 % against the median rank; waits 0 ns, 0.0 %'));
		await page.getByLabel('Waiting', {exact: true}).check();
		assert.equal(new URL(page.url()).searchParams.get('over'), 'waiting');
		await page.locator('section[aria-labelledby=steps] summary').click();
		const rows = await cells(page, 'Waiting, share of the iteration, data');
		assert.deepEqual([rows.length, rows[29], rows[30]],
			[60, ['Iterations 63 to 65', '3.000 ms', '0.0', '0.0', '0.0'], ['Iterations 66 to 67', '3.000 ms', '42.9', '42.9', '0.0']]);

		const broken = await open('/jobs/3', {allowed: /503/, answers: {...answers, '/jobs/3/steps': () => ({refused: [503, 'busy', 'too many requests']})}});
		await broken.getByText('Too many requests').waitFor();
		await broken.getByRole('table', {name: 'Ranks', exact: true}).waitFor();
	});
}
