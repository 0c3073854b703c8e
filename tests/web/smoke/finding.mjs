// finding.mjs - tests the search, the keys, the filters of the list of runs, and the tooltips of
// headings.

import assert from 'node:assert/strict';
import {seen} from './world.mjs';

const ODD = '<b>cut</b> \u202eevil';
const nothing = {runs: [], jobs: [], workloads: [], commits: [], kernels: [], operators: [], runs_total: 0, runs_more: false, jobs_total: 0,
	workloads_total: 0, commits_total: 0, kernels_total: 0, kernels_more: false, operators_total: 0};
const focus = (page) => page.evaluate(() => document.activeElement.textContent);
const options = (page) => page.getByRole('dialog').getByRole('option').locator('.name').allTextContents();

export default async function finding(test, {open, api}) {
	const {items} = await (await api('/runs?total=yes')).json();
	const dialog = (page) => page.getByRole('dialog', {name: 'Search'});

	await test('search: / opens it, the first match is chosen, Enter opens its page, Escape closes it', async () => {
		const page = await open('/runs');
		await page.keyboard.press('/');
		await page.keyboard.type(`${items[0].id}`);
		await seen(async () => assert.ok((await options(page)).length > 0));
		await seen(async () => assert.equal(await dialog(page).getByRole('option', {selected: true}).getAttribute('href'), `/runs/${items[0].id}`));
		await page.keyboard.press('Escape');
		await seen(async () => assert.equal(await dialog(page).count(), 0));
		await page.getByRole('button', {name: 'Search'}).click();
		await seen(async () => assert.ok((await options(page)).length > 0, 'the text of the last search is still there'));
		await page.keyboard.press('Enter');
		await page.waitForURL(new RegExp(`/runs/${items[0].id}$`));
		await seen(async () => assert.equal(await dialog(page).count(), 0));
	});

	await test('search: odd names are text; more kernels than were counted; no match; a failure', async () => {
		let answer = {...nothing, runs: [{id: 1, name: ODD, project: '', workload: '', commit: null, host: null, created_at: '2026-11-01T00:00:00.000000Z'}], runs_total: 7,
			kernels: [{kernel: 3, name: 'x'.repeat(6400), distinct_name: 'x'.repeat(6400), run: 1, project: '', workload: ''}], kernels_total: 200, kernels_more: true};
		const page = await open('/runs', {allowed: /503/, answers: {'/search': () => answer}});
		await page.keyboard.press('/');
		await page.keyboard.type('x');
		await seen(async () => assert.deepEqual((await options(page)).map((name) => name.slice(0, 12)), [ODD.slice(0, 12), 'xxxxxxxxxxxx']));
		await dialog(page).getByText('7 runs, more than 200 kernels.').waitFor();
		assert.equal(await dialog(page).locator('b').count(), 0);
		assert.ok(await dialog(page).evaluate((e) => e.scrollWidth <= e.clientWidth), 'nothing is wider than the dialog');
		await page.keyboard.press('ArrowDown');
		await dialog(page).getByRole('option', {selected: true}).filter({hasText: 'xxx'}).waitFor();
		answer = nothing;
		await page.keyboard.type('y');
		await dialog(page).getByText('Nothing matches.').waitFor();
		answer = {refused: [503, 'busy', 'the database does not answer']};
		await page.keyboard.type('z');
		await dialog(page).getByText('The search failed: the database does not answer').waitFor();
		answer = nothing;
		await dialog(page).getByRole('button', {name: 'Try again'}).click();
		await dialog(page).getByText('Nothing matches.').waitFor();
	});

	await test('keys: rows are reached and ticked, but not while typing; ? lists them and turns them off', async () => {
		const page = await open('/runs');
		await page.keyboard.press('j');
		const first = await focus(page);
		await page.keyboard.press('j');
		assert.notEqual(await focus(page), first);
		await page.keyboard.press('k');
		assert.equal(await focus(page), first);
		await page.keyboard.press('x');
		await page.waitForURL(new RegExp(`head=${items[0].id}$`));
		await page.getByLabel('Workload').fill('');
		await page.keyboard.type('x/?j');
		assert.equal(await page.getByLabel('Workload').inputValue(), 'x/?j');
		await page.getByRole('link', {name: 'Help'}).focus();
		await page.keyboard.press('?');
		const keys = page.getByRole('dialog', {name: 'Keys'});
		await keys.getByLabel('Single keys are on').uncheck();
		await page.keyboard.press('Escape');
		await page.keyboard.press('/');
		assert.equal(await page.getByRole('dialog').count(), 0);
	});

	await test('runs: filters complete over all values, labels add up, groups have means', async () => {
		const page = await open('/runs?limit=1', {answers: {'/values': (q) => ({items: [{value: `${q.get('of')}-${q.get('q')}`, runs: 2}], total: 1})}});
		await page.getByText(`${items.length} runs, 1 on this page`).waitFor();
		await page.getByLabel('Workload').fill('w');
		await seen(async () => assert.equal(await page.locator('datalist option[value="workload-w"]').getAttribute('label'), '2 runs'));
		await page.getByLabel('Label', {exact: true}).fill('branch=main');
		await page.getByLabel('Workload').fill('');
		await page.getByLabel('Group by').selectOption('commit');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.getByLabel('Label', {exact: true}).fill('a=b');
		await page.getByRole('button', {name: 'Filter'}).click();
		await page.waitForURL(/label=branch%3Dmain&label=a%3Db/);
		await page.getByText('No run matches.').waitFor();
		await page.getByRole('link', {name: 'Remove the label a=b'}).click();
		await seen(async () => assert.match(await page.getByRole('rowheader', {name: /no commit/}).textContent(), /^no commit2 runsmean busy .*mean span /));
	});

	await test('runs: Shift and a click tick a range', async () => {
		const page = await open('/runs');
		const boxes = page.locator('td:nth-child(1) input');
		await boxes.nth(2).click();
		await boxes.nth(0).click({modifiers: ['Shift']});
		await seen(async () => assert.deepEqual(new URL(page.url()).searchParams.get('head').split(',').map(Number).sort(),
			items.slice(0, 3).map((r) => r.id).sort()));
	});

	await test('a heading explains itself to the pointer and to the keyboard', async () => {
		const page = await open('/runs');
		const tip = page.locator('.tip');
		await page.getByRole('columnheader', {name: 'Kernels'}).hover();
		await tip.getByText('Number of different kernels.').waitFor();
		await page.getByRole('heading', {level: 1}).hover();
		await seen(async () => assert.equal(await tip.count(), 0));
		// A heading is one stop of the Tab order; the link of its tooltip is reached with ↓.
		await page.getByRole('button', {name: 'Busy'}).focus();
		await page.keyboard.press('Shift+Tab');
		await tip.getByText('The models of the GPUs of the run.').waitFor();
		await page.keyboard.press('Tab');
		await tip.getByText(/^Time in which .* one kernel runs/).waitFor();
		assert.equal(await focus(page), (await page.getByRole('button', {name: 'Busy'}).textContent()));
		await page.keyboard.press('Escape');
		await seen(async () => assert.equal(await tip.count(), 0));
		for (const key of ['Tab', 'Shift+Tab', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
		await page.waitForURL(/\/help#term-busy$/);
		await seen(async () => assert.equal(await focus(page), 'Busy'));
	});

	await test('a pointer that rests where a heading appears opens no tooltip', async () => {
		const page = await open('/runs');
		const heading = page.getByRole('columnheader', {name: 'Kernels'});
		const {x, y, width, height} = await heading.boundingBox();
		await page.mouse.move(x + width / 2, y + height / 2);
		await page.locator('.tip').waitFor();
		await page.reload();
		await heading.waitFor();
		await page.waitForTimeout(1000); // longer than a pointer must rest
		assert.equal(await page.locator('.tip').count(), 0);
		await page.mouse.move(x + width / 2 + 2, y + height / 2);
		await page.locator('.tip').getByText('Number of different kernels.').waitFor();
	});
}
