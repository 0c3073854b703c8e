// looks.mjs - checks how every page looks in light, in dark and at 320 pixels.
//
// axe-core must have no findings, and pages must not scroll sideways. Stores a screenshot of
// each for review.

import fs from 'node:fs';
import {looked} from './accessible.mjs';
import {data} from './world.mjs';

export default async function looks(test, {open, api, shots}) {
	const {items} = await (await api('/runs')).json();
	const id = (launches) => items.find((r) => r.launches === launches).id;
	const cards = async (page) => {
		await page.setInputFiles('#files', [['two-devices.json', fs.readFileSync(data('two-devices.json'))],
			['empty.json', Buffer.alloc(0)]].map(([file, buffer]) =>
			({name: file, mimeType: 'application/json', buffer})));
		await page.locator('.card .state.failed').waitFor();
		await page.locator('.card .state.done').waitFor();
	};
	const called = (name) => `/runs/${items.find((r) => r.name === name).id}`;
	const formats = async (page) => {
		for (const summary of await page.locator('.formats summary').all())
			await summary.click();
	};
	const callers = async (page) => {
		await page.getByRole('button', {name: 'gemm_kernel', exact: true}).click();
		await page.getByRole('button', {name: '4 more frames'}).click();
	};
	// name, address, first action, expected console lines
	const views = [
		['runs', '/runs'],
		['runs-none', '/runs?q=no-such-thing'],
		['run', `/runs/${id(5)}`],
		['run-kernels', `/runs/${id(5)}?tab=kernels`],
		['run-many', `/runs/${id(3000)}?by=grid&unit=ns`],
		['run-full-names', `/runs/${id(5)}?by=device&names=full`],
		['run-timeline', `/runs/${id(5)}?tab=timeline`],
		['run-cut-short', `/runs/${id(1)}`],
		['run-callers', `${called('callers.json')}?tab=kernels`, callers],
		['run-latency', `${called('callers.json')}?tab=launches&show=all`],
		['run-table', called('table_cuda_gpu_kern_sum.csv')],
		['run-graphs', called('graphs.sqlite')],
		['run-flame', `${called('flame.json')}?tab=flame`],
		['run-flame-compared', `${called('flame.json')}?tab=flame&against=${called('flame-other.json').split('/').at(-1)}`],
		['run-diagnosis', called('idle-causes.json')],
		['uploads', '/uploads', cards, /40\d|415/],
		['uploads-formats', '/uploads', formats],
		['failure', '/runs/999999', null, /404/],
		['nowhere', '/nowhere'],
		['help', '/help'],
	];

	for (const [name, where, act, allowed] of views)
		await test(`${name} in light, in dark and narrow`, async () => {
			const page = await open(where, {allowed});
			await act?.(page);
			await looked(page, shots, name);
		});
}
