// looks.mjs - checks how every view of comparisons looks in light, in dark and at 320 pixels.
//
// axe-core must have no findings. Stores a screenshot of each for review.

import {looked} from '../smoke/accessible.mjs';
import * as doc from './documents.mjs';

const WIDE = {width: 1440, height: 900};

const compared = {'/compare': (q) => (q.get('score') === 'published' ? doc.published() : doc.comparison()), '/compare/series': doc.series};
const refused = {'/compare': () => doc.comparison({refused: true})};
const opened = async (page) => {
	await page.getByRole('button', {name: 'slower', exact: true}).click();
	await page.getByText('β, share of the iteration').waitFor();
	for (const summary of await page.locator('main details:not(.numbers) > summary').all())
		await summary.click();
	await page.locator('.numbers > summary').first().click();
};

export default async function looks(test, {open, shots, runs}) {
	const iterations = {[`/runs/${runs[0]}/iterations`]: doc.iterations, [`/runs/${runs[0]}/patterns`]: doc.patterns};
	const views = [
		['compare', '/compare?base=1,2&head=3,4', compared, opened],
		['compare-refused', '/compare?base=1,2&head=3,4', refused],
		['compare-published', '/compare?base=1,2&head=3,4&score=published', compared],
		['compare-choose', '/compare'],
		['runs-ticked', `/runs?base=${runs[0]},${runs[1]}&head=${runs[2]}`],
		['run-iterations', `/runs/${runs[0]}?tab=iterations`, iterations],
		['run-patterns', `/runs/${runs[0]}?tab=patterns`, iterations, (page) => page.getByRole('button', {name: 'slower'}).click()],
		['job', '/jobs/3', {'/jobs/3': doc.job, '/jobs': doc.jobs, '/jobs/3/all-to-all': doc.exchanges, '/jobs/3/steps': doc.jobSteps}],
		['jobs', '/jobs', {'/jobs': doc.jobs}],
	];
	for (const [name, where, answers, act] of views)
		await test(`${name} in light, in dark and narrow`, async () => {
			const page = await open(where, {answers, viewport: WIDE});
			await act?.(page);
			await looked(page, shots, name);
		});
}
