// strips.mjs - the tab Timeline of a run: sums of what is in view, zoom, selection, a selected range,
// and a server that fails.
//
// The numbers are those of the API for the same window.

import assert from 'node:assert/strict';
import {cells, seen} from './world.mjs';

const KERNELS = 'Kernels in view';
const CANVAS = '.timeline-canvas';
const GUTTER = 148;

export default async function strips(test, {open, api}) {
	const {items} = await (await api('/runs')).json();
	const run = `/runs/${items.find((r) => r.launches === 5).id}`;
	const tab = `${run}?tab=timeline`;
	const windowOf = async (query) => (await api(`${run}/timeline/strips?${query}`)).json();
	const whole = await windowOf('pixels=1000');
	const shown = async (page) => (await cells(page, KERNELS)).map((r) => r.slice(0, 2));
	const wanted = ({names}) => names.filter((n) => n.kind === 'kernel').map((n) => [n.name, String(n.count)]);
	const search = (page) => new URL(page.url()).searchParams;

	await test('the sums of the whole run are the kernel table', async () => {
		const page = await open(tab);
		await page.locator(CANVAS).waitFor();
		await seen(async () => assert.deepEqual(await cells(page, KERNELS), [['alpha', '3', '90.000', '90.0'], ['beta_kernel', '2', '10.000', '10.0']]));
		await page.getByText('Data table').click();
		await page.getByRole('table', {name: 'Strips in view, data'}).waitFor();
		await seen(async () => assert.equal((await cells(page, 'Strips in view, data')).length, whole.strips.length));
	});

	await test('the address opens a window; keys zoom and move it, and Home shows the whole run', async () => {
		const page = await open(`${tab}&from=0&to=20000`);
		const want = wanted(await windowOf('from_ns=0&to_ns=20000'));
		assert.notDeepEqual(want, wanted(whole));
		await seen(async () => assert.deepEqual(await shown(page), want));
		await page.locator(CANVAS).focus();
		for (const key of ['+', 'w', 'd', 'ArrowLeft', '-', 's'])
			await page.keyboard.press(key);
		await seen(async () => assert.equal(search(page).has('from') && Number(search(page).get('to')) < whole.end_ns, true));
		await page.keyboard.press('Home');
		await seen(async () => assert.deepEqual([search(page).get('from'), search(page).get('to')], [null, null]));
		await seen(async () => assert.deepEqual(await shown(page), wanted(whole)));
	});

	await test('the wheel zooms at the pointer, and dragging moves', async () => {
		const page = await open(tab);
		const canvas = page.locator(CANVAS);
		await canvas.scrollIntoViewIfNeeded();
		const box = await canvas.boundingBox();
		await page.mouse.move(box.x + box.width - 1, box.y + 30);
		await page.mouse.wheel(0, -400);
		await seen(async () => assert.ok(Number(search(page).get('from')) > 0 && Number(search(page).get('to')) > whole.end_ns * 0.99));
		const {from} = Object.fromEntries(search(page));
		await page.mouse.move(box.x + 300, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x + 500, box.y + 30, {steps: 4});
		await page.mouse.up();
		await seen(async () => assert.ok(Number(search(page).get('from')) < Number(from)));
	});

	await test('a click selects a kernel and links to its row', async () => {
		const page = await open(tab);
		const canvas = page.locator(CANVAS);
		await canvas.scrollIntoViewIfNeeded();
		const box = await canvas.boundingBox();
		const last = whole.strips.at(-1);
		const at = (last.start_ns[0] + last.dur_ns[0] / 2) / whole.end_ns;
		await page.mouse.click(box.x + GUTTER + (box.width - GUTTER) * at, box.y + box.height - 12);
		const name = whole.names[last.name[0]];
		await seen(async () => assert.match(await page.locator('.timeline-details').innerText(), new RegExp(`^${name.name}: `)));
		assert.equal(search(page).get('kernel'), String(name.id));
		await page.getByRole('button', {name: `Highlight ${name.name}`, exact: true, pressed: true}).waitFor();
		await page.getByRole('link', {name: 'Open in Kernels'}).click();
		await page.getByRole('tab', {name: 'Kernels', selected: true}).waitFor();
		await seen(async () => assert.equal(await page.getByRole('button', {name: name.name, exact: true}).getAttribute('aria-expanded'), 'true'));
		await page.getByRole('link', {name: 'Show its launches'}).click();
		await page.getByRole('button', {name: `Highlight ${name.name}`, exact: true, pressed: true}).click();
		await seen(async () => assert.equal(search(page).get('kernel'), null));
	});

	await test('keys select a segment of each strip, and Escape none', async () => {
		const page = await open(tab);
		await page.locator(CANVAS).focus();
		for (let i = 0; i < whole.strips.length; i++)
			await page.keyboard.press('ArrowDown');
		await seen(async () => assert.match(await page.locator('.timeline-details').innerText(), /^(alpha|beta_kernel): /));
		await page.keyboard.press('.');
		await page.keyboard.press('Escape');
		await seen(async () => assert.equal((await page.locator('.timeline-details').textContent()).trim(), ''));
	});

	await test('Shift and drag selects a range, whose sums are shown', async () => {
		const page = await open(tab);
		const canvas = page.locator(CANVAS);
		await canvas.scrollIntoViewIfNeeded();
		const box = await canvas.boundingBox();
		const x = (share) => box.x + GUTTER + (box.width - GUTTER) * share;
		await page.keyboard.down('Shift');
		await page.mouse.move(x(0.5), box.y + 30);
		await page.mouse.down();
		await page.mouse.move(x(0.9), box.y + 30, {steps: 4});
		await page.mouse.up();
		await page.keyboard.up('Shift');
		await seen(async () => assert.match(await page.getByRole('heading', {level: 2}).last().innerText(), /^Kernels in the selected range: /));
		await page.getByRole('button', {name: 'Zoom to range'}).click();
		await seen(async () => assert.ok(search(page).has('from')));
		const {from, to} = Object.fromEntries(search(page));
		await seen(async () => assert.deepEqual(await shown(page), wanted(await windowOf(`from_ns=${from}&to_ns=${to}`))));
		await page.getByRole('button', {name: 'Clear'}).click();
		await seen(async () => assert.match(await page.getByRole('heading', {level: 2}).last().innerText(), /^Kernels in view: /));
	});

	await test('finer data that does not arrive: a message with another try, and the rest stays', async () => {
		const page = await open(tab, {allowed: /503/});
		await seen(async () => assert.deepEqual(await shown(page), wanted(whole)));
		await page.route('**/timeline/strips*', (route) => route.fulfill({status: 503, contentType: 'application/json',
			body: JSON.stringify({error: {code: 'busy', message: '3 long answers are already being computed'}})}));
		await page.locator(CANVAS).focus();
		await page.keyboard.press('+');
		await page.getByText('Finer data of this window is missing: 3 long answers are already being computed').waitFor();
		await seen(async () => assert.deepEqual(await shown(page), wanted(whole)));
		await page.unroute('**/timeline/strips*');
		await page.getByRole('button', {name: 'Try again'}).click();
		await page.getByText('Finer data of this window is missing').waitFor({state: 'hidden'});
	});

	await test('a run of one launch', async () => {
		const page = await open(`/runs/${items.find((r) => r.launches === 1).id}?tab=timeline`);
		await seen(async () => assert.deepEqual((await shown(page)).map((r) => r[1]), ['1']));
	});
}
