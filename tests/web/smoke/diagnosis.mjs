// diagnosis.mjs - tests the card that shows why a run is slow.
//
// The times are those of idle-causes.json in tests/api/data/README.md.

import assert from 'node:assert/strict';
import {cells, data, seen, upload} from './world.mjs';

export default async function diagnosis(test, world) {
	const {open, api} = world;
	const here = await upload(world, data('../../api/data/idle-causes.json'));
	const card = (page) => page.getByRole('region', {name: 'Why is it slow'});

	await test('the largest causes as sentences, and all causes with time as a table', async () => {
		const page = await open(here);
		await card(page).getByText('1 iteration of 1.090 ms: the GPU is busy 32.2 % and idle 67.8 % of the time. The trace records the cause of 98.1 % of the idle time. ' +
			'The largest (400.000 µs) is synchronization: before the next launch begins, the host waits for the GPU in a synchronizing call. ' +
			'It records none for 1.9 % of the idle time (14.000 µs).').waitFor();
		const sentences = await card(page).locator('ol > li').allInnerTexts();
		assert.equal(sentences.length, 5);
		assert.deepEqual(sentences[2].split(/\n+/), ['The GPU is idle for 18.3 % of the time (200 µs) because the host does other work before the next launch.',
			'Once; 80.0 % of it in Python sched.py(12): run, 10.0 % in operator aten::item. Iterations']);
		// Parts of the bar: computing, copies, then the causes of idle time.
		await seen(async () => assert.deepEqual(await card(page).locator('.split-legend li').allInnerTexts(), ['Compute 31.7 %', 'Copies 0.5 %',
			'Idle: synchronization 36.7 %', 'Idle: host gap 18.3 %', 'Idle: copy wait 8.3 %', 'Idle: launch-bound 3.2 %', 'Idle: unknown 1.3 %']));
		await card(page).getByText('All causes as a table').click();
		await seen(async () => assert.deepEqual(await cells(page, 'Causes'), [
			['Idle: synchronization', '36.7', '400.000'], ['Busy: no known bound', '31.7', '346.000'], ['Idle: host gap', '18.3', '200.000'], ['Idle: copy wait', '8.3', '90.000'],
			['Idle: launch-bound', '3.2', '35.000'], ['Idle: unknown', '1.3', '14.000'], ['Busy: copies', '0.5', '5.000']]));
		await seen(async () => assert.equal(await page.getByRole('cell', {name: '400.000'}).first().getAttribute('title'), '400,000 ns in 1 iteration'));
	});

	await test('a link of a sentence shows its tab', async () => {
		const page = await open(here);
		await card(page).getByRole('link', {name: 'Launch latency'}).click();
		await seen(async () => assert.equal(await page.getByRole('tab', {name: 'Launch latency'}).getAttribute('aria-selected'), 'true'));
		await seen(async () => assert.equal(new URL(page.url()).hash, '#panel'));
		await seen(async () => assert.ok(await page.getByRole('tabpanel').evaluate((panel) =>
			panel === document.activeElement && panel.getBoundingClientRect().top < innerHeight)));
	});

	await test('causes that are not known: the reason is shown, and all idle time is unknown', async () => {
		const known = await (await api(`${here}/diagnosis`)).json();
		const busy = known.causes.filter((c) => c.kind === 'busy');
		const made = {...known, reason: 'the run is old', sentences: known.sentences.filter((s) => s.kind === 'busy'),
			causes: [...busy, {kind: 'idle', cause: 'unknown', time_ns: known.idle_ns, share_pct: 67.8, parts: null, evidence: []}]};
		const page = await open(here, {answers: {[`${here}/diagnosis`]: () => made}});
		await card(page).getByText('The run is old.').waitFor();
		await card(page).getByText('All causes as a table').click();
		await seen(async () => assert.deepEqual(await cells(page, 'Causes'), [['Idle: unknown', '67.8', '739.000'], ['Busy: no known bound', '31.7', '346.000'], ['Busy: copies', '0.5', '5.000']]));
	});

	await test('what changes would save: folded, with intervals and assumptions', async () => {
		const known = await (await api(`${here}/diagnosis`)).json();
		const what_if = [
			{change: 'cuda_graph', operator: null, dtype: null, saved_ns: 120000, low_ns: 90000, high_ns: 150000, share_pct: 12.04, text: 'A graph would save 120 µs.', assumptions: ['one', 'two', 'three']},
			{change: 'roofline', operator: 'gemm', dtype: 'bf16', saved_ns: 1000, low_ns: null, high_ns: null, share_pct: 0.1, text: 'gemm would save 1 µs.', assumptions: ['one']}];
		const page = await open(here, {answers: {[`${here}/diagnosis`]: () => ({...known, what_if})}});
		await card(page).getByText('What a single change would save: 2 estimates, at most 12.0 %').click();
		await seen(async () => assert.deepEqual((await card(page).locator('details li').allInnerTexts()).map((text) => text.split(/\n+/)), [
			['A graph would save 120 µs.', '95 % interval: 90.000 µs to 150.000 µs. Assumed: one; two; three.'],
			['gemm would save 1 µs.', 'Assumed: one.']]));
	});

	await test('fusions whose tensor may have other readers are apart', async () => {
		const known = await (await api(`${here}/diagnosis`)).json();
		const fusion = {change: 'fusion_consumers_unknown', operator: 'silu', dtype: 'bf16', second_operator: 'mul', second_dtype: null, saved_ns: 9000, low_ns: 8000, high_ns: 10000,
			share_pct: 30, text: 'Fusing both would save 9 µs.', assumptions: ['nothing else reads it']};
		const overlap = {...fusion, change: 'overlap', operator: null, second_operator: null, saved_ns: 1000, low_ns: null, high_ns: null, share_pct: 3, text: 'Overlap would save 1 µs.'};
		const page = await open(here, {answers: {[`${here}/diagnosis`]: () => ({...known, what_if: [overlap, fusion]})}});
		await card(page).getByText('What a single change would save: 1 estimate, at most 3.0 %; 1 fusion with unknown readers').click();
		await seen(async () => assert.deepEqual(await card(page).locator('details > p').allInnerTexts(), ['Two changes can save the same time, so the estimates do not add up.',
			'Only if a tensor has no other reader, which the trace does not show:']));
		await seen(async () => assert.deepEqual(await card(page).locator('details ul').nth(1).locator('li').allInnerTexts().then((all) => all.map((text) => text.split(/\n+/))),
			[['Fusing both would save 9 µs.', '95 % interval: 8.000 µs to 10.000 µs. Assumed: nothing else reads it.']]));
		const only = await open(here, {answers: {[`${here}/diagnosis`]: () => ({...known, what_if: [fusion]})}});
		await card(only).getByText('What a single change would save: 0 estimates; 1 fusion with unknown readers').waitFor();
	});

	await test('a request that fails: its card says why, and the rest of the page is shown', async () => {
		const refused = [500, 'internal', 'the causes of idle time of run 8 do not fit its iterations'];
		const page = await open(here, {allowed: /500/, answers: {[`${here}/diagnosis`]: () => ({refused})}});
		await card(page).getByText(`The causes are missing: ${refused[2]}.`).waitFor();
		await page.getByRole('table', {name: 'Kernels with the most time'}).waitFor();
		await page.getByRole('table', {name: 'Longest gaps'}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 0));
	});

	await test('a run without single launches: what is unknown is named, and its kernels are shown', async () => {
		const {items} = await (await api('/runs')).json();
		const page = await open(`/runs/${items.find((r) => r.content === 'statistics').id}`);
		await page.getByRole('table', {name: 'Kernels with the most time'}).waitFor();
		await card(page).getByText('The causes are unknown: the run has no single launches with their starts.').waitFor();
		await page.getByRole('region', {name: 'Longest gaps'}).getByText('Gaps are unknown, because this run has no timeline.').waitFor();
	});

	await test('the longest gaps with their causes, the host, and the API call', async () => {
		const page = await open(here);
		await page.getByText('The kept iterations have 4 gaps, 739.000 µs in all.').waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Longest gaps')).map((r) => [r[0], r[1], r[2], r[5].replace(/\s+/g, ' ')]), [
			['420.000', '56.8', 'Synchronization 95.2 %, then launch-bound, unknown', 'call cudaStreamSynchronize 95.2 % launch: cudaLaunchKernel'],
			['212.000', '28.7', 'Host gap 94.3 %, then launch-bound', 'Python sched.py(12): run 42.5 % launch: cudaLaunchKernel'],
			['102.000', '13.8', 'Copy wait 88.2 %, then launch-bound, unknown', 'call cudaMemcpy 88.2 % launch: cudaLaunchKernel'],
			['5.000', '0.7', 'Launch-bound', 'call cudaMemcpy 100.0 % launch: cudaMemcpy']]));
	});

	await test('the longest gap in a sentence; each gap links to the timeline around it; causes have one color everywhere', async () => {
		const page = await open(here);
		const part = page.getByRole('region', {name: 'Longest gaps'});
		await part.getByText(/^The longest gap takes 420\.000 µs, 56\.8 % of the idle time, between .* Its largest cause is synchronization: before the next launch begins, /).waitFor();
		// Three causes of idle time in the bar, its legend and the table have one look.
		const look = (node) => node.evaluate((of) => getComputedStyle(of).background);
		for (const cause of ['synchronization', 'host_gap', 'copy_wait'])
			assert.equal(new Set(await Promise.all([card(page).locator(`.stack .${cause}`), card(page).locator(`.split-legend .${cause}`), part.locator(`td .${cause}`)].map(look))).size, 1, cause);
		const {items: [gap]} = await (await api(`${here}/gaps`)).json();
		await part.getByRole('row').nth(1).getByRole('link').first().click();
		await page.getByRole('heading', {name: /^Kernels in view: /}).waitFor();
		const query = new URL(page.url()).searchParams;
		assert.equal(query.get('tab'), 'timeline');
		assert.equal(Number(query.get('from')), Math.max(0, gap.start_ns - gap.time_ns / 4));
		assert.ok(Number(query.get('to')) >= gap.start_ns + gap.time_ns);
		await seen(async () => assert.ok(await page.getByRole('tabpanel').evaluate((panel) => panel.getBoundingClientRect().top < innerHeight)));
	});

	await test('on a phone, the time of a kernel follows its name, and no page of the run is wider than the screen', async () => {
		const page = await open(`${here}?tab=kernels`);
		const heads = () => page.getByRole('table', {name: 'Kernel statistics'}).locator('thead th').allInnerTexts();
		await seen(async () => assert.deepEqual((await heads()).slice(0, 4), ['Kernel', 'Family', 'Operator', 'Time (%)']));
		await page.setViewportSize({width: 390, height: 800});
		await page.reload();
		await seen(async () => assert.deepEqual((await heads()).slice(0, 5), ['Kernel', 'Time (%)', 'Total (µs)', 'Family', 'Operator']));
		for (const tab of ['overview', 'flame', 'timeline', 'operators']) {
			await page.getByRole('tab', {name: {overview: 'Overview', flame: 'Flame graph', timeline: 'Timeline', operators: 'Operators'}[tab]}).click();
			await page.locator('.panel:not([aria-busy])').waitFor();
			await seen(async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab));
		}
	});

	await test('gaps that cannot be read: the part says so, and loads again', async () => {
		let broken = true;
		const page = await open(here, {allowed: /503/, answers: {[`${here}/gaps`]: () => (broken ? {refused: [503, 'busy', 'the server is busy']}
			: {run: 1, reason: null, gaps: 0, idle_ns: 0, items: []})}});
		const part = page.getByRole('region', {name: 'Longest gaps'});
		await part.getByText('Gaps are missing: the server is busy.').waitFor();
		broken = false;
		await part.getByRole('button', {name: 'Try again'}).click();
		await part.getByText('The GPU is never idle in the kept iterations.').waitFor();
	});
}
