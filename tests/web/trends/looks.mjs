// looks.mjs - checks how all views of trends and gates look in light, dark and at 320 pixels.

import {looked} from '../smoke/accessible.mjs';
import * as doc from './documents.mjs';
import * as gates from './gates.mjs';
import * as home from './home.mjs';
import * as trends from './trends.mjs';

// [name, address, selector that is present when the page is complete, other answers]
const VIEWS = [
	['home', '/?since=2026-11-01', '.spark', {}],
	['home-empty', '/', '.empty', {'/home': () => doc.emptyHome()}],
	['home-missing', '/', '.wrong', {'/home': () => ({refused: [503, 'busy', 'the database does not answer']})}],
	['trends-choose', '/trends', '.scroll'],
	['trends', `${trends.W}&base=1001&head=1100`, '.u-over'],
	['trends-points', `${trends.W}&x=order&tab=points&device=x&from=1055&to=1066`, '.u-over'],
	['gates', '/gates', '.scroll'],
	['gates-new', '/gates?base=101,102&head=121', '.scroll'],
	['gate-regressed', '/gates/4', '.limit-bar'],
	['gate-bad-data', '/gates/1', '.banner'],
];

export default async function looks(test, {open, shots}) {
	for (const [name, where, whole, others] of VIEWS)
		await test(`looks: ${name}`, async () => {
			const page = await open(where, {allowed: /503/, answers: {...home.answers, ...trends.answers, ...gates.answers, '/runs/121': () => ({id: 121, created_at: '2026-03-15T00:00:00Z', project: '', workload: ''}), ...others}});
			await page.locator(whole).first().waitFor();
			await looked(page, shots, name);
		});
}
