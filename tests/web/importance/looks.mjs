// looks.mjs - checks how all views of operators and catalog look: light, dark, 320 pixels.

import {looked} from '../smoke/accessible.mjs';
import * as doc from './documents.mjs';
import {answered} from './run.mjs';

const fleet = {'/importance': (q) => doc.fleet(q), '/importance/fused_moe/shapes': () => doc.fleetShapes('fused_moe'), '/importance/unified_attention/shapes': () => doc.fleetShapes('unified_attention'), '/unattributed': doc.unattributed,
	'/importance/fusions': (q) => doc.fusions(q), '/reference-sets': () => doc.sets()};
const opened = (name, table) => async (page) => {
	await page.getByRole('button', {name, exact: true}).click();
	await page.getByRole('table', {name: table}).waitFor();
};

export default async function looks(test, {open, shots, run}) {
	const views = [
		['importance', '/importance', fleet, async (page) => {
			await opened('fused_moe', 'Shapes of fused_moe')(page);
			await opened('unattributed', 'Unattributed kernels')(page);
			await page.getByText('More filters').click();
		}],
		['importance-roofline', '/importance?tab=roofline', fleet, (page) => page.locator('.numbers summary').click()],
		['importance-shapes', '/importance?tab=shapes', fleet, opened('fused_moe', 'Shapes of fused_moe')],
		['importance-fusions', '/importance?tab=fusions', fleet],
		['importance-none', '/importance', {'/importance': (q) => doc.fleet(q, {none: true})}],
		['run-operators', `${run}?tab=operators`, answered(run), opened('gemm', 'Shapes of gemm')],
		['devices', '/devices', {'/devices': () => doc.devices()}],
		['devices-none', '/devices'],
		['catalog', '/catalog?q=norm'],
		['catalog-rules', '/catalog?tab=rules&q=zebra&test=zebra_kernel', {}, (page) => page.getByRole('table', {name: 'Tested names'}).waitFor()],
		['catalog-platforms', '/catalog?tab=platforms&q=h2'],
		['catalog-unattributed', '/catalog?tab=unattributed'],
		['catalog-reference-sets', '/catalog?tab=reference-sets'],
	];
	for (const [name, where, answers, act] of views)
		await test(`${name} in light, in dark and narrow`, async () => {
			const page = await open(where, {answers, viewport: {width: 1440, height: 900}});
			await act?.(page);
			await looked(page, shots, name);
		});
}
