// manage.mjs - changes and deletes runs as an administrator does.
//
// The runs have names with markup and from right to left. One is changed by another user while the
// page shows it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {looked} from '../smoke/accessible.mjs';
import {cells, data, seen, signedIn, upload} from '../smoke/world.mjs';

const NAME = '<b>ü\u202e🔥';
const done = (page) => page.locator('#done p');
const own = ({name, project, workload, labels}) => ({name, project, workload, labels});

export default async function manage(test, world) {
	const {open, api, kernsiftd, shots} = world;
	const token = (await kernsiftd('token', '--scope', 'admin', '--name', 'manager')).trim();
	const stored = async (id) => own(await (await api(`/runs/${id}`)).json());
	const patch = (id, change) => fetch(`${world.base}/api/v1/runs/${id}`,
		{method: 'PATCH', body: JSON.stringify(change), headers: {'Content-Type': 'application/json', Authorization: `Bearer ${token}`}});
	const ids = [];
	const paths = [];

	async function managed(where, options, secret = token) {
		const page = await open('/settings', options);
		await signedIn(page, secret);
		await page.goto(new URL(where, page.url()).href);
		await page.locator('.manage summary').click();
		return page;
	}

	// The server stores the same bytes once.
	await test('runs to manage', async () => {
		const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'manage-'));
		for (const n of [1, 2, 3, 4]) {
			const file = path.join(folder, `${n}.json`);
			fs.writeFileSync(file, fs.readFileSync(data('two-devices.json'), 'utf8') + ' '.repeat(n));
			paths.push(await upload(world, file, `&project=mine&name=${encodeURIComponent(`${NAME}${n}`)}&label.n=${n}`));
			ids.push(Number(paths[n - 1].split('/').pop()));
		}
		fs.rmSync(folder, {recursive: true});
	});

	await test('only who may change a run sees the form', async () => {
		const page = await open(paths[0]);
		await page.locator('.manage-place').waitFor({state: 'attached'});
		const reader = (await kernsiftd('token', '--scope', 'upload', '--name', 'reader')).trim();
		const stranger = (await kernsiftd('token', '--scope', 'admin', '--project', 'mine', '--name', 'part')).trim();
		await signedIn(page, reader);
		await page.reload();
		await seen(async () => assert.equal(await page.locator('#who').innerText(), 'reader'));
		assert.equal(await page.locator('.manage').count(), 0);
		await signedIn(page, stranger);
		await page.reload();
		await page.getByText('Manage this run').click();
		assert.deepEqual([await page.getByLabel('Name of the run').inputValue(), await page.getByLabel('Project of the run').count()], [`${NAME}1`, 0]);
	});

	await test('a run is renamed, moved and relabeled; undo restores all of it', async () => {
		const page = await managed(paths[0]);
		const before = await stored(ids[0]);
		await page.getByLabel('Name of the run').fill('renamed');
		await page.getByLabel('Project of the run').fill('');
		await page.getByLabel('Workload of the run').fill('w');
		await page.getByRole('button', {name: 'Remove the label n', exact: true}).click();
		await page.getByRole('button', {name: 'Add a label'}).click();
		await page.getByLabel('Key', {exact: true}).fill('a=b');
		await page.getByLabel('Value', {exact: true}).fill('1, <i>');
		await page.getByRole('button', {name: 'Save'}).click();
		await seen(async () => assert.equal(await done(page).innerText(), '1 run changed.'));
		assert.deepEqual(await stored(ids[0]), {name: 'renamed', project: '', workload: 'w', labels: {'a=b': '1, <i>'}});
		await seen(async () => assert.equal(await page.locator('h1').innerText(), 'renamed'));
		await page.getByRole('button', {name: 'Undo'}).click();
		await seen(async () => assert.equal(await done(page).innerText(), 'Undo: 1 run changed back.'));
		assert.deepEqual(await stored(ids[0]), before);
		await seen(async () => assert.equal(await page.locator('h1').innerText(), `${NAME}1`));
	});

	await test('nothing changed, a label without a key, a name of too many bytes: a sentence', async () => {
		const page = await managed(paths[0], {allowed: /400/});
		const save = page.getByRole('button', {name: 'Save'});
		const wrong = async (sentence) => {
			await save.click();
			await seen(async () => assert.equal(await page.locator('.manage .wrong').innerText(), sentence));
		};
		await wrong('Nothing is changed');
		await page.getByRole('button', {name: 'Add a label'}).click();
		await page.getByLabel('Value', {exact: true}).fill('x');
		await wrong("The label with the value 'x' has no key");
		await page.getByRole('button', {name: 'Remove this label'}).click();
		await page.getByLabel('Name of the run').fill('🔥'.repeat(100));
		await wrong('Name: is not text of at most 200 bytes');
	});

	await test('a change by another user is neither overwritten by a save nor by an undo', async () => {
		const page = await managed(paths[1], {allowed: /409/});
		await page.getByLabel('Value of n').fill('two');
		await patch(ids[1], {labels: {n: 'other'}});
		await page.getByRole('button', {name: 'Save'}).click();
		const sentence = `Run ${ids[1]} was changed in the meantime; load it again and repeat the change`;
		await seen(async () => assert.equal(await page.locator('.manage .wrong').innerText(), sentence));
		await page.reload();
		await page.getByText('Manage this run').click();
		await page.getByLabel('Value of n').fill('two');
		await page.getByRole('button', {name: 'Save'}).click();
		await page.getByRole('button', {name: 'Undo'}).waitFor();
		await patch(ids[1], {labels: {n: 'third'}});
		await page.getByRole('button', {name: 'Undo'}).click();
		await seen(async () => assert.equal(await done(page).innerText(), `Undo: 0 runs changed back. 1 run could not be changed back. ${sentence}.`));
		assert.deepEqual((await stored(ids[1])).labels, {n: 'third'});
	});

	await test('ticked runs are moved and relabeled at once, and changed back at once', async () => {
		const page = await managed(`/runs?project=mine&base=${ids[0]},${ids[1]}&head=${ids[2]}`);
		assert.equal(await page.locator('.manage summary').innerText(), 'Manage 3 ticked runs');
		await page.getByLabel(`#${ids[1]} as base`).uncheck();
		assert.equal(await page.locator('.manage summary').innerText(), 'Manage 2 ticked runs');
		await page.getByLabel('Move to workload').fill('bulk');
		await page.getByLabel('Labels to remove').fill('n, absent');
		await page.getByRole('button', {name: 'Add a label'}).click();
		await page.getByLabel('Key', {exact: true}).fill('keep');
		await page.getByLabel('Value', {exact: true}).fill('true');
		await page.getByRole('button', {name: 'Change the ticked runs'}).click();
		await seen(async () => assert.equal(await done(page).innerText(), '2 runs changed.'));
		for (const id of [ids[0], ids[2]])
			assert.deepEqual([(await stored(id)).workload, (await stored(id)).labels], ['bulk', {keep: 'true'}]);
		assert.equal((await stored(ids[1])).workload, '');
		await page.getByRole('button', {name: 'Undo'}).click();
		await seen(async () => assert.equal(await done(page).innerText(), 'Undo: 2 runs changed back.'));
		assert.deepEqual([(await stored(ids[0])).labels, (await stored(ids[2])).labels, (await stored(ids[2])).workload], [{n: '1'}, {n: '3'}, '']);
	});

	await test('both forms in light, in dark and narrow', async () => {
		const page = await managed(paths[2]);
		await looked(page, shots, 'manage-run');
		const list = await managed(`/runs?project=mine&base=${ids[0]}&head=${ids[2]}`);
		await list.getByRole('button', {name: 'Add a label'}).click();
		await looked(list, shots, 'manage-ticked');
	});

	await test('a run is deleted by a second press, ticked runs only with their number', async () => {
		const page = await managed(paths[3]);
		await page.getByRole('button', {name: 'Delete this run'}).click();
		await page.getByText(`Delete run ${ids[3]} for good`).click();
		await seen(async () => assert.equal(await done(page).innerText(), `Run ${ids[3]} is deleted.`));
		assert.equal((await fetch(`${world.base}/api/v1/runs/${ids[3]}`)).status, 404);

		const list = await managed(`/runs?project=mine&base=${ids[0]},${ids[3]}&head=${ids[2]}`, {allowed: /404/});
		await list.getByLabel('Number of ticked runs').fill('2');
		await list.getByRole('button', {name: 'Delete the ticked runs'}).click();
		await seen(async () => assert.equal(await list.locator('.manage .wrong').innerText(), 'To delete 3 runs, enter 3'));
		await list.getByLabel('Number of ticked runs').fill('3');
		await list.getByRole('button', {name: 'Delete the ticked runs'}).click();
		await seen(async () => assert.equal(await done(list).innerText(), `2 runs deleted. 1 run could not be deleted. No run ${ids[3]}.`));
		await seen(async () => assert.equal((await cells(list, 'Runs')).length, 1));
		assert.equal(new URL(list.url()).searchParams.get('base'), String(ids[3]));
	});
}
