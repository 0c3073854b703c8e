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
	}, '/importance/fused_moe/shapes': (q) => {
		requests.push(`shapes ${q}`);
		return doc.fleetShapes('fused_moe');
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
			'5 operators with 60 shapes, importance from 1,303 runs and 13.4 h of GPU time, roofline bounds on H20 and H200.'));
		// the row of unattributed time is none
		await seen(async () => assert.equal(await page.locator('.toolbar [role=status]').first().innerText(), '5 operators'));
		await seen(async () => assert.deepEqual(await page.getByRole('region', {name: 'Caveats'}).locator('li').allInnerTexts(), [
			'Warning\n6.9 % of GPU time is unattributed; /unattributed lists its kernels.',
			'Info\nShapes of rms_norm are faster than their roofline bound (S > 1).']));
		await seen(async () => assert.deepEqual(await page.locator('.totals dd').allInnerTexts(), ['1,303', '13.4 h', '2,606 GPU h', '93.1%', '91.4%', '81.2%', '74.9%', '41.2%', '7.2%']));
		await seen(async () => assert.deepEqual(await page.getByRole('table', {name: GENERAL}).locator('thead th').allInnerTexts(), ['Operator', 'dtype', 'Phase', 'Shapes', 'Importance',
			'95% interval', 'w_time', 'w_mean', 'w_present', 'Prevalence', 'Headroom', 'Reachable headroom', 'Fleet-best S', 'Shape known', 'Roofline known']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL))[0], ['unified_attention', 'bf16', 'decode/prefill', '12', '36.1%', '28.9% … 43.3%', '36.1%', '32.5%', '50.5%', '72.1%', '18.8%', '7.2%', '60.0%', '97.2%', '95.5%']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL)).map((r) => r[0]), ['unified_attention', 'fused_moe', 'all_reduce', 'unattributed', 'reshape_and_cache', 'rms_norm']));
		// The fleet-best links to the run that reached it, unless that was deleted.
		const best = page.getByRole('link', {name: 'Run 4711 reached 60.0%'});
		await seen(async () => assert.equal(await best.getAttribute('href'), '/runs/4711'));
		const moe = page.getByRole('row', {name: /^fused_moe/}).locator('td');
		await seen(async () => assert.deepEqual([await moe.nth(10).innerText(), await moe.nth(11).innerText(), await moe.nth(11).locator('a').count()], ['0.0%', '55.0%', 0]));
		// Unknown is not 0.
		const nothing = page.getByRole('row', {name: /^rms_norm/}).locator('td').nth(10);
		await seen(async () => assert.deepEqual([await nothing.innerText(), (await nothing.getAttribute('title')).slice(0, 7)], ['–', 'unknown']));
		// Headroom of collectives includes waiting.
		const lost = page.getByRole('row', {name: /^all_reduce/}).locator('td').nth(9);
		await seen(async () => assert.deepEqual([await lost.innerText(), await lost.getAttribute('title')], ['9.0%', 'share of all GPU time above the roofline bound: 0.09, waiting for other ranks included']));
	});

	await test('importance by energy shows the energy of each operator and of all', async () => {
		const {page, requests} = await given(open, '/importance?weight=energy');
		await seen(async () => assert.deepEqual(requests, ['weight=energy']));
		await seen(async () => assert.deepEqual((await page.locator('.totals > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).slice(2, 4),
			['Total weight 2,606 GPU h', 'Energy 1.4 MWh']));
		await seen(async () => assert.deepEqual((await page.getByRole('table', {name: GENERAL}).locator('thead th').allInnerTexts()).slice(4, 8), ['Importance', '95% interval', 'Energy', 'w_time']));
		await seen(async () => assert.deepEqual((await cells(page, GENERAL)).map((r) => r[6]).slice(0, 2), ['512.8 kWh', '244.3 kWh']));
		assert.equal(await page.locator('select[name=weight]').inputValue(), 'energy');
	});

	await test('shapes are requested with the same filters; unattributed kernels link to the rules', async () => {
		const {page, requests} = await given(open, '/importance?project=serving&phase=decode');
		await page.getByRole('button', {name: 'fused_moe'}).click();
		await page.getByRole('table', {name: 'Shapes of fused_moe'}).waitFor();
		await seen(async () => assert.deepEqual(requests, ['project=serving&phase=decode', 'shapes project=serving&phase=decode&limit=500']));
		await seen(async () => assert.deepEqual((await cells(page, 'Shapes of fused_moe')).map((r) => r.slice(0, 9).map((c) => c.replace(/\s+/g, ' '))), [
			['tokens=16 hidden=2048 inter=768', '75.0%', '● good', 'H200', '44.0%', '118,200', '210', '264 us', '198.20 us'],
			['tokens=32 hidden=2048 inter=768', '10.0%', '○ low', 'H20', '44.0%', '118,200', '210', '264 us', '198.20 us'],
			['shape unknown', '–', '–', 'H20', '2.0%', '118,200', '210', '264 us', '–']]));
		assert.equal((await cells(page, 'Shapes of fused_moe')).at(-1).at(-1), '–');
		assert.equal(await page.getByRole('link', {name: 'PyTorch'}).first().getAttribute('href'),
			'/api/v1/importance/fused_moe/shapes/7?project=serving&phase=decode&platform=H200&dtype=bf16&format=pytorch');
		await page.getByRole('button', {name: 'unattributed'}).click();
		const link = page.getByRole('link', {name: 'Test rules for void <b>mystery</b><float>(float *)'});
		await seen(async () => assert.equal(await link.getAttribute('href'), '/catalog?tab=rules&test=void+%3Cb%3Emystery%3C%2Fb%3E%3Cfloat%3E%28float+*%29'));
		await seen(async () => assert.equal(await page.locator('main b:not(.regime b)').count(), 0));
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
		await seen(async () => assert.deepEqual((await cells(page, 'Roofline of operators')).find((r) => r[0] === 'rms_norm').slice(3, 5).map((c) => c.replace(/\s+/g, ' ')), ['107.0%', '⚠ above 1']));
		await page.getByText('Not drawn: 1 operator bound by the link, without an arithmetic intensity: all_reduce.', {exact: false}).waitFor();
		const drawn = page.getByRole('img', {name: /^Roofline on H200: 3 operators/});
		// A font or image that arrives late moves the chart, so each try locates the mark
		// again.
		await seen(async () => {
			const mark = await drawn.locator('circle.point').first().boundingBox();
			await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
			await page.getByText(/^fused_moe: 310\.2 FLOP per byte, attained 727 TFLOP\/s, S 61\.0%, importance 17\.2%$/).waitFor({timeout: 2000});
		});
		assert.ok((await drawn.boundingBox()).width > 600);
	});
}
