// keyboard.mjs - opens a kernel's full name from the start page with keys only.
//
// The focus must always be on a sensible element.

import assert from 'node:assert/strict';
import {cells, seen} from './world.mjs';

const focus = (page) => page.evaluate(() => {
	const e = document.activeElement;
	return (e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.tagName).trim();
});

// Presses a key until the focus is on the element with this name.
async function until(page, key, name) {
	for (let i = 0; i < 80; i++) {
		if (await focus(page) === name)
			return;
		await page.keyboard.press(key);
	}
	await seen(async () => assert.fail(`'${name}' is not reached with ${key}; the focus is on '${await focus(page)}'`));
}

export default async function keyboard(test, {open, api}) {
	const {items} = await (await api('/runs')).json();
	const run = items.find((r) => r.launches === 5);
	const name = run.name || `run ${run.id}`;

	await test('the skip link is first, and skips the navigation', async () => {
		const page = await open('/runs');
		await page.keyboard.press('Tab');
		await seen(async () => assert.equal(await focus(page), 'Skip to the page'));
		await page.keyboard.press('Enter');
		await seen(async () => assert.ok(await page.evaluate(() => document.activeElement.id === 'main')));
	});

	await test('with the keyboard: list, run, sorted table, full name', async () => {
		const page = await open(`/runs?upload=${run.upload}`);
		await until(page, 'Tab', name);
		await page.keyboard.press('Enter');
		await page.locator('.crumbs').waitFor();
		await seen(async () => assert.ok(await page.evaluate(() => document.activeElement.tagName === 'H1'), 'the heading has the focus'));
		await page.getByText(`${name}, page loaded`).waitFor({state: 'attached'});

		await until(page, 'Tab', 'Overview');
		await page.keyboard.press('ArrowRight');
		await until(page, 'Tab', 'Filter kernels by name');
		await page.keyboard.type('alpha');
		await page.getByText('1 of 2 rows').waitFor();
		await until(page, 'Tab', 'All devices together');
		await page.keyboard.press('ArrowRight');
		await seen(async () => assert.equal(await focus(page), 'By device'));
		await page.getByText('2 of 3 rows').waitFor();
		await until(page, 'Tab', 'Nanoseconds');
		await page.keyboard.press('Space');
		await until(page, 'Tab', 'Kernel statistics, table');
		await until(page, 'Tab', 'Med (ns)');
		await page.keyboard.press('Enter');
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(await focus(page), 'Med (ns)', 'sorting leaves the focus where it was'));
		await seen(async () => assert.deepEqual((await cells(page, 'Kernel statistics')).map((r) => r[8]), ['15,000', '60,000']));
		await until(page, 'Tab', 'alpha');
		await page.keyboard.press('Enter');
		await seen(async () => assert.ok(await page.getByText('void alpha<float>(float*, int)').first().isVisible()));
	});

	await test('the error on top can be dismissed', async () => {
		const page = await open('/runs/999999', {allowed: /404/});
		await until(page, 'Tab', 'Dismiss');
		await page.keyboard.press('Enter');
		await seen(async () => assert.equal(await page.getByRole('alert').count(), 0));
	});

	await test('files are chosen with the keyboard', async () => {
		const page = await open('/uploads');
		const chooser = page.waitForEvent('filechooser');
		await until(page, 'Tab', 'Choose files');
		await page.keyboard.press('Enter');
		await seen(async () => assert.ok((await chooser).isMultiple()));
	});
}
