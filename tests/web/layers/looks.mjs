// looks.mjs - checks how every view of layers looks in light, in dark and at 320 pixels.

import {looked} from '../smoke/accessible.mjs';
import {answers, chosenAnswers} from './breakdown_compare.mjs';
import {answered} from './run.mjs';

export default async function looks(test, {open, shots, run}) {
	const views = [
		['layers', `${run}?tab=layers`, answered(run, {lags: true}), async (page) => {
			await page.getByText('Change layer boundaries').click();
			await page.getByRole('button', {name: 'qkv'}).click();
			await page.getByText('Data table').click();
		}],
		['layers-none', `${run}?tab=layers`, answered(run, {none: true})],
		['groups', `${run}?tab=groups`, answered(run), (page) => page.getByRole('button', {name: 'FlashAttnFwdSm90'}).click()],
		['breakdown-compare', '/breakdown?runs=7,8', answers, (page) => page.getByText('nvjet_qkv and 2 more').click()],
		['breakdown-compare-three', '/breakdown?runs=7,8,9&realign=yes&kernels=all', answers],
		['breakdown-compare-refused', '/breakdown?runs=7,6,8', {'/breakdown': () => ({refused: [404, 'not_found', 'run 6 has statistics and no launches']})}, null, /404/],
		['breakdown-compare-choose', '/breakdown?runs=7', chosenAnswers],
	];
	for (const [name, where, given, act, allowed] of views)
		await test(`${name} in light, in dark and narrow`, async () => {
			const page = await open(where, {answers: given, allowed, viewport: {width: 1440, height: 900}});
			await act?.(page);
			await looked(page, shots, name);
		});
}
