// fleet.mjs - tests the importance page of a fleet.
//
// The cases are intervals, headroom, unknown values, and filters in the address.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const GENERAL = 'Importance of operators';

// Opens the page with these documents; also returns the queries that the page sent.
export async function given(open, where = '/importance', options = {}) {
	const requests = [];
	const answers = {'/importance': (q) => {
		requests.push(q.toString());
		return options.refused ?? doc.fleet(q, options);
	}, '/importance/unified_attention/shapes': (q) => options.first?.(q) ?? doc.fleetShapes('unified_attention'), '/importance/fused_moe/shapes': (q) => {
		requests.push(`shapes ${q}`);
		return options.many ? doc.manyShapes(q) : doc.fleetShapes('fused_moe');
	}, '/importance/fusions': (q) => {
		requests.push(`fusions ${q}`);
		return doc.fusions(q, options);
	}, '/unattributed': doc.unattributed, '/reference-sets': () => doc.sets('atrex')};
	return {page: await open(where, {answers, ...options}), requests};
}

export default async function fleet(test, {open}) {
	await test('the headline, the caveats and the coverage come before the tables', async () => {
		const {page} = await given(open);
		await seen(async () => assert.equal(await page.locator('.headline').innerText(),
			'5 operators with 60 shapes, importance from 1,303 runs (all projects) and 13.4 h of GPU time, roofline bounds on H20 and H200.'));
		// the row of unattributed time is none
		await seen(async () => assert.equal(await page.locator('.toolbar [role=status]').first().innerText(), '5 operators'));
		await seen(async () => assert.deepEqual(await page.getByRole('region', {name: 'Caveats'}).locator('li').allInnerTexts(), [
			'Warning\n6.9 % of GPU time is unattributed; /unattributed lists its kernels.',
			'Info\nShapes of rms_norm are faster than their roofline bound (S > 1).']));
		await seen(async () => assert.deepEqual(await page.locator('.totals dd').allInnerTexts(), ['1,303', '13.4 h', '2,606 GPU h', '93.1 %', '91.4 %', '81.2 %', '74.9 %', '≤ 41.2 %', '7.2 %']));
		await seen(async () => assert.deepEqual(await page.getByRole('table', {name: GENERAL}).locator('thead th').allInnerTexts(), ['Operator', 'Headroom (GPU h)',
			'Reachable headroom (GPU h)', 'Importance', '95 % interval', 'dtype', 'Phase', 'Shapes', 'w_time', 'w_mean', 'w_present', 'Prevalence', 'Fleet-best S', 'Shape known', 'Roofline known']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL))[0], ['unified_attention', '489', '188', '36.1 %', '28.9 % … 43.3 %', 'bf16', 'decode/prefill', '12', '36.1 %', '32.5 %', '50.5 %', '72.1 %', '60.0 %', '97.2 %', '95.5 %']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL)).map((r) => r[0]), ['unified_attention', 'all_reduce', 'fused_moe', 'reshape_and_cache', 'rms_norm', 'unattributed'], 'most headroom first; unknown last'));
		const none = page.getByRole('row', {name: /^unattributed/}).locator('td').nth(0);
		await seen(async () => assert.deepEqual([await none.innerText(), await none.getAttribute('title')], ['–', 'unknown: unattributed time has no roofline bound']));
		// The fleet-best links to the run that reached it, unless that was deleted.
		const best = page.getByRole('link', {name: 'Run 4711 reached 60.0 %'});
		await seen(async () => assert.equal(await best.getAttribute('href'), '/runs/4711'));
		const moe = page.getByRole('row', {name: /^fused_moe/}).locator('td');
		await seen(async () => assert.deepEqual([await moe.nth(1).innerText(), await moe.nth(11).innerText(), await moe.nth(11).locator('a').count()], ['0', '55.0 %', 0]));
		// Unknown is not 0.
		const nothing = page.getByRole('row', {name: /^rms_norm/}).locator('td').nth(1);
		await seen(async () => assert.deepEqual([await nothing.innerText(), (await nothing.getAttribute('title')).slice(0, 7)], ['–', 'unknown']));
		// Headroom of collectives includes waiting.
		const lost = page.getByRole('row', {name: /^all_reduce/}).locator('td').nth(0);
		await seen(async () => assert.equal(await lost.innerText(), '≤ 235'));
		await page.getByText('≤: a collective. Its headroom includes the time in which it waits for other ranks').waitFor();
		assert.match(await lost.getAttribute('title'), /^GPU time above the roofline bound: 234\.5\d* of the GPU-hours that the runs represent, 9\.0 % of all GPU time, waiting for other ranks included: an upper bound$/);
	});

	await test('what to optimize first, with its shape, for the runs that the page counts; the link opens the row', async () => {
		const requests = [];
		const {page} = await given(open, '/importance?project=serving&phase=decode&tab=shapes', {first: (q) => void requests.push(q.toString())});
		const line = page.locator('.first-line');
		await seen(async () => assert.equal(await line.innerText(), 'Optimize first: unified_attention has the largest headroom, 489 of 2,606 GPU-hours (18.8 % of all GPU time). ' +
			'Its shape with the largest headroom is tokens=16 hidden=2048 inter=768 bf16 decode on H200: 22.5 GPU-hours.'));
		assert.deepEqual(requests, ['project=serving&phase=decode&limit=1&sort=headroom']);
		await seen(async () => assert.match(await page.locator('.headline').innerText(), / from 1,303 runs \(project serving, phase decode\) /));
		await page.setViewportSize({width: 800, height: 400});
		await line.getByRole('link').last().click();
		await page.getByRole('table', {name: 'Shapes of unified_attention'}).waitFor();
		await seen(async () => assert.deepEqual([...new URL(page.url()).searchParams], [['project', 'serving'], ['phase', 'decode'], ['open', 'unified_attention']]));
		// The row is scrolled to: of the page, only the tables are in view.
		await seen(async () => assert.ok(await page.getByRole('button', {name: 'unified_attention'}).evaluate((row) => {
			const {top, bottom} = row.getBoundingClientRect();
			return scrollY > 0 && top > 0 && bottom < innerHeight;
		})));
	});

	await test('the number of shapes is unknown in a time range, and says why', async () => {
		const {page} = await given(open, '/importance?since=2026-11-01');
		await seen(async () => assert.match(await page.locator('.headline').innerText(), /^5 operators, importance from 1,303 runs \(all projects, since 2026-11-01\) .* Shapes are not counted for a selection of runs: open an operator to count its shapes\.$/));
		const cell = (name) => page.getByRole('row', {name}).locator('td').nth(6);
		await seen(async () => assert.deepEqual([await cell(/^fused_moe/).innerText(), await cell(/^fused_moe/).getAttribute('title'), await cell(/^unattributed/).getAttribute('title')],
			['–', 'not counted for a selection of runs, such as a time range or a project; open the operator to count them', 'unknown: unattributed time has no shapes']));
	});

	await test('importance by energy shows the energy of each operator and of all', async () => {
		const {page, requests} = await given(open, '/importance?weight=energy');
		await seen(async () => assert.deepEqual(requests, ['weight=energy']));
		await seen(async () => assert.deepEqual((await page.locator('.totals > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).slice(2, 4),
			['Total weight 2,606 GPU h', 'Energy 1.4 MWh']));
		await seen(async () => assert.deepEqual((await page.getByRole('table', {name: GENERAL}).locator('thead th').allInnerTexts()).slice(3, 7), ['Importance', '95 % interval', 'Energy', 'dtype']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL)).map((r) => r[5]).slice(0, 2), ['512.8 kWh', '170.5 kWh']));
		assert.equal(await page.locator('select[name=weight]').inputValue(), 'energy');
	});

	await test('shapes are requested with the same filters; unattributed kernels link to the rules', async () => {
		const {page, requests} = await given(open, '/importance?project=serving&phase=decode');
		await page.getByRole('button', {name: 'fused_moe'}).click();
		await page.getByRole('table', {name: 'Shapes of fused_moe'}).waitFor();
		await seen(async () => assert.deepEqual(requests, ['project=serving&phase=decode', 'shapes project=serving&phase=decode&limit=500&sort=headroom']));
		await seen(async () => assert.deepEqual((await cells(page, 'Shapes of fused_moe')).map((r) => r.slice(0, 13).map((c) => c.replace(/\s+/g, ' '))), [
			['tokens=32 hidden=2048 inter=768', '81', '12.3', '10.0 %', '○ low', '7.0 %', 'H20', '44.0 %', '118,200', '55.0 %', '210', '264 µs', '198.20 µs'],
			['tokens=16 hidden=2048 inter=768', '22.5', '–', '75.0 %', '● good', '52.5 %', 'H200', '44.0 %', '118,200', '–', '210', '264 µs', '198.20 µs']]));
		// S of the median call and S of all time have names of their own, and a grade its scale.
		await seen(async () => assert.deepEqual((await page.getByRole('table', {name: 'Shapes of fused_moe'}).locator('thead th').allInnerTexts()).map((c) => c.replace(/\s+/g, ' ')).slice(3, 6),
			['S of the median call', 'Grade', 'S of all time']));
		await page.getByTitle('S of 33 % or more, on the scale of Atrex-Bench for production kernels, the same for every operator; 25.0 % of the time is above the roofline bound').waitFor();
		await seen(async () => assert.equal((await page.getByRole('table', {name: 'Shapes of fused_moe'}).locator('tfoot').innerText()).replace(/\s+/g, ' '), 'Shapes unknown 2.0 % 118,200 '));
		assert.equal(await page.getByRole('link', {name: 'PyTorch'}).first().getAttribute('href'),
			'/api/v1/importance/fused_moe/shapes/7?project=serving&phase=decode&platform=H20&dtype=bf16&format=pytorch');
		await page.getByRole('button', {name: 'unattributed'}).click();
		const link = page.getByRole('link', {name: 'Test rules for void <b>mystery</b><float>(float *)'});
		await seen(async () => assert.equal(await link.getAttribute('href'), '/catalog?tab=rules&test=void+%3Cb%3Emystery%3C%2Fb%3E%3Cfloat%3E%28float+*%29'));
		await seen(async () => assert.equal(await page.locator('main b:not(.regime b)').count(), 0));
	});

	await test('every shape can be reached: by pages, by search, in the order of the server', async () => {
		const {page, requests} = await given(open, '/importance?open=fused_moe', {many: true});
		const name = {name: 'Shapes of fused_moe'};
		const first = async () => (await cells(page, name.name))[0][0];
		await page.getByText('500 of 1,200 rows loaded').waitFor();
		await seen(async () => assert.equal(await page.getByRole('table', name).getAttribute('aria-rowcount'), '501'));
		await page.getByRole('button', {name: 'Load more shapes'}).click();
		await page.getByText('1,000 of 1,200 rows loaded').waitFor();
		await page.getByRole('button', {name: 'Load more shapes'}).click();
		await page.getByText('1,200 shapes', {exact: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('button', {name: 'Load more shapes'}).count(), 0));
		await page.getByLabel('Search shapes of fused_moe').fill('tokens=1199');
		await page.getByText('1 shape with “tokens=1199”').waitFor();
		await seen(async () => assert.equal(await first(), 'tokens=1199 hidden=2048'));
		await page.getByLabel('Search shapes of fused_moe').fill('nothing');
		await page.getByText('No shape matches the search.').waitFor();
		await page.getByLabel('Search shapes of fused_moe').fill('');
		await page.getByText('500 of 1,200 rows loaded').waitFor();
		await page.getByRole('table', name).getByRole('button', {name: 'Calls'}).click();
		await seen(async () => assert.equal(await first(), 'tokens=1200 hidden=2048', 'not of the 500 loaded shapes only'));
		await page.getByRole('table', name).getByRole('button', {name: 'T_prod'}).click();
		await page.getByText('This is the order of the loaded shapes only.').waitFor();
		await seen(async () => assert.deepEqual(requests.filter((r) => r.startsWith('shapes')).map((r) => r.slice(7)), ['limit=500&sort=headroom',
			'limit=500&sort=headroom&cursor=500', 'limit=500&sort=headroom&cursor=1000', 'limit=500&sort=headroom&q=tokens%3D1199', 'limit=500&sort=headroom&q=nothing',
			'limit=500&sort=headroom', 'limit=500&sort=calls']));
	});

	await test('operators that one kernel could execute are in three tables, with the same filters', async () => {
		const {page, requests} = await given(open, '/importance?tab=fusions&project=serving&weight=mean');
		await page.getByText('1,303 runs of 2,606 GPU-hours, 12 without known pairs').waitFor();
		await seen(async () => assert.deepEqual(requests, ['weight=mean&project=serving', 'fusions project=serving']));
		const one = 'Only the second operator reads the tensor';
		await seen(async () => assert.deepEqual(await page.getByRole('tabpanel').getByRole('heading').allInnerTexts(),
			[`${one} 2`, 'Unknown whether the second operator reads the tensor, and who else does 340', 'Other operators read the tensor, too 1']));
		await seen(async () => assert.deepEqual((await cells(page, one)).map((r) => r.map((c) => c.replace(/\s+/g, ' '))), [
			['elementwise bf16 x=[4096,14336] elementwise bf16 x=[4096,14336] y=[4096,14336] overlaps 1 row', '48.3', '47.5', '31.1', '0.75', 'pointwise', '112.0 MiB', '118,200', 'H200, H20', '940 #4711 #12 #13 #14 #15'],
			['elementwise bf16 x=[4096,14336] fused_add_rms_norm bf16 x=[4096,14336] y=[4096,14336]', '0.00123', '0.00123', '31.1', '0', 'norm', '112.0 MiB', '118,200', '–', '1 #12']]));
		// Unknown is not 0.
		const unknown = page.getByRole('table', {name: 'Unknown whether the second operator reads the tensor, and who else does'}).locator('tbody tr').nth(1);
		await seen(async () => assert.deepEqual((await unknown.locator('td').allInnerTexts()).slice(0, 4), ['–', '–', '–', '0']));
		await seen(async () => assert.equal(await unknown.locator('td').nth(1).getAttribute('title'), 'unknown: the size of the tensor or the cost of an operator is not known'));
		await page.getByText('The 2 with the most GPU-hours are shown.').waitFor();
		await seen(async () => assert.equal(await page.getByRole('link', {name: 'Run 4711'}).first().getAttribute('href'), '/runs/4711'));
		await seen(async () => assert.equal(await page.getByRole('tabpanel').getByRole('link', {name: 'Benchmark JSON'}).getAttribute('href'),
			'/api/v1/importance/fusions?project=serving&format=bench'));
		await page.getByRole('table', {name: one}).getByRole('button', {name: 'Launch gaps'}).click();
		await page.getByRole('table', {name: one}).getByRole('button', {name: 'Launch gaps'}).click();
		await seen(async () => assert.deepEqual((await cells(page, one)).map((r) => r[4]), ['0', '0.75']));
		const {page: nothing} = await given(open, '/importance?tab=fusions&project=nobody', {none: true});
		await seen(async () => assert.equal(await nothing.getByText('None.', {exact: true}).count(), 3));
	});

	await test('filters and weight are in the address and in the request', async () => {
		const {page, requests} = await given(open, '/importance?tab=shapes');
		await page.getByLabel('Weight').selectOption('present');
		await page.waitForURL(/weight=present/);
		await page.getByText('More filters').click();
		for (const [label, value] of [['Project', 'serving'], ['Framework', 'vllm'], ['Platform', 'H20'], ['Phase', 'decode'], ['dtype', 'bf16'],
			['Labels', 'branch=main'], ['Since', '2026-11-01']])
			await page.getByRole('search').getByLabel(label, {exact: true}).fill(value);
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.waitForURL(/since=2026-11-01/);
		await seen(async () => assert.equal(decodeURIComponent(requests.at(-1)),
			'weight=present&project=serving&framework=vllm&platform=H20&phase=decode&dtype=bf16&since=2026-11-01T00:00:00Z&label.branch=main'));
		await seen(async () => assert.equal(await page.getByRole('tab', {name: 'Shapes'}).getAttribute('aria-selected'), 'true', 'the table stays in front'));
		await seen(async () => assert.equal(await page.getByLabel('Labels').inputValue(), 'branch=main', 'filters that are used are not folded away'));
		await page.getByRole('link', {name: 'Clear'}).click();
		await page.waitForURL((url) => url.search === '');
		await page.getByRole('tab', {name: 'Importance'}).waitFor();
		await seen(async () => assert.equal(requests.at(-1), ''));
	});

	await test('nothing matches, a label without a value, a rejection: a message each', async () => {
		const {page} = await given(open, '/importance?project=nobody', {none: true});
		await seen(async () => assert.deepEqual(await cells(page, GENERAL), [['No operators match these filters.']]));
		const wrong = await open('/importance?label=nonsense');
		await seen(async () => assert.equal(await wrong.getByRole('alert').innerText(), 'Failed: label \'nonsense\' is not of the form key=value'));
		await wrong.getByText('More filters').waitFor();
		await seen(async () => assert.equal(await wrong.getByLabel('Labels').inputValue(), 'nonsense', 'what was rejected can be corrected'));
		const {page: refused} = await given(open, '/importance?reference_set=gone', {refused: {refused: [404, 'not_found', 'no set \'gone\'']}, allowed: /404/});
		await seen(async () => assert.equal(await refused.getByRole('alert').innerText(), 'Failed: no set \'gone\''));
		await seen(async () => assert.deepEqual(await refused.getByLabel('Source', {exact: true}).locator('option').allInnerTexts(), ['stored runs', 'gone', 'reference set atrex']));
	});

	await test('a reference set is requested without the filters that only runs have', async () => {
		const page = await open('/importance?reference_set=operators&project=nobody', {allowed: /400/});
		await page.getByRole('alert').waitFor();
		await seen(async () => assert.deepEqual(await page.getByRole('search').locator('label').allInnerTexts(), ['Source', 'Weight', 'Phase', 'dtype']));
		await page.getByLabel('Phase').fill('prefill');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.getByRole('table', {name: GENERAL}).waitFor();
		await seen(async () => assert.equal(new URL(page.url()).search, '?reference_set=operators&phase=prefill'));
		await seen(async () => assert.deepEqual(await page.getByRole('search').locator('label').allInnerTexts(), ['Source', 'Weight', 'Phase', 'dtype']));
	});

	await test('S above 1 is marked as an error, in the roofline and in the tables', async () => {
		const {page} = await given(open, '/importance?tab=roofline&on=H200');
		await page.getByText(/ T_prod is the measured mean per call\.$/).waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Roofline of operators')).find((r) => r[0] === 'rms_norm').slice(3, 5).map((c) => c.replace(/\s+/g, ' ')), ['107.0 %', '⚠ above 1']));
		await page.getByText('Not drawn: 1 operator bound by the link, without an arithmetic intensity: all_reduce.', {exact: false}).waitFor();
		const drawn = page.getByRole('img', {name: /^Roofline on H200: 3 operators/});
		// A font or image that arrives late moves the chart, so each try locates the mark
		// again.
		await seen(async () => {
			await drawn.locator('circle.point').first().scrollIntoViewIfNeeded();
			const mark = await drawn.locator('circle.point').first().boundingBox();
			await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
			await page.getByText(/^fused_moe: 310\.2 FLOP per byte, attained 727 TFLOP\/s, S 61\.0 %, importance 17\.2 %$/).waitFor({timeout: 2000});
		});
		assert.ok((await drawn.boundingBox()).width > 600);
	});
}
