// operators.mjs - opens operators to their kernels, and functions to their ranks.
//
// First with given documents, then with the server's comparison of the jobs that `flow` sent.

import assert from 'node:assert/strict';
import {cells, seen} from '../smoke/world.mjs';
import * as doc from './documents.mjs';

const WHERE = '/compare?base=job:1&head=job:2';
const answers = (made) => ({'/compare/series': doc.series, '/compare': () => made});
const tableOf = (page, name) => page.getByRole('table', {name, exact: true});

async function given(test, {open}) {
	await test('an operator opens to its kernels; two of one group say why they are one row', async () => {
		const page = await open(WHERE, {answers: answers(doc.ofJobs())});
		await seen(async () => assert.deepEqual((await cells(page, 'Operators')).map((r) => r.slice(0, 3).map((t) => t.replace(/\s+/g, ' '))), [
			['▲ regressed', 'gemm', '+500.0'],
			['▼ improved', 'attention inferred: attention_forward → paged_attention_decode flash → paged', '−300.0']]));
		await tableOf(page, 'Operators').getByRole('button', {name: /^attention/}).click();
		await page.getByText("Inferred: each side has only one of these operators, and both are of the group 'attention'.").waitFor();
		await seen(async () => assert.deepEqual((await cells(page, 'Functions of attention')).map((r) => r.slice(0, 4).map((t) => t.replace(/\s+/g, ' '))), [
			['− vanished', 'flash', 'attention_forward', 'rank 0, GPU 0'], ['+ appeared', 'paged', 'paged_attention_decode', 'rank 0, GPU 0']]));
		await tableOf(page, 'Functions of attention').getByRole('button', {name: 'paged'}).click();
		await page.getByText('void paged<float>(float*, int)').waitFor();
		await tableOf(page, 'Operators').getByRole('button', {name: /^gemm/}).click();
		// One operator: no column of operators.
		await seen(async () => assert.deepEqual((await cells(page, 'Functions of gemm')).map((r) => [r[1], r[2], r.at(-1)]), [
			['slower', '3 ranks', '4.000 ms to 5.000 ms, slowest rank 2, GPU 0']]));
	});

	await test('a function opens to its ranks, and a rank to its iterations; the address opens it again', async () => {
		const page = await open(WHERE, {answers: answers(doc.ofJobs())});
		await tableOf(page, 'Functions').getByRole('button', {name: 'slower', exact: true}).click();
		await seen(async () => assert.deepEqual((await cells(page, 'Devices and ranks of slower')).map((r) => r.slice(0, 3).map((t) => t.replace(/\s+/g, ' '))), [
			['▲ regressed', 'rank 2, GPU 0', '+1,000.0'], ['▲ regressed', 'rank 1, GPU 0', '+500.0'], ['= unchanged', 'rank 0, GPU 0', '0.0']]));
		await tableOf(page, 'Devices and ranks of slower').getByRole('button', {name: 'rank 1, GPU 0'}).click();
		await page.getByRole('img', {name: /^Time per iteration, slower/}).waitFor();
		const {pathname, search} = new URL(page.url());
		const again = await open(pathname + search, {answers: answers(doc.ofJobs())});
		await tableOf(again, 'Devices and ranks of slower').waitFor();
		// A rank is linked too.
		const rank = await open(`${WHERE}&function=${encodeURIComponent('void slower<float>(float*, int)')}&device=rank%201,%20GPU%200`, {answers: answers(doc.ofJobs())});
		await rank.getByRole('img', {name: /^Time per iteration, slower/}).waitFor();
	});

	await test('a function and a device that do not exist open nothing', async () => {
		const page = await open(`${WHERE}&function=nobody&device=rank%2099&sort=nonsense&show=nonsense`, {answers: answers(doc.ofJobs())});
		await tableOf(page, 'Operators').waitFor();
		await seen(async () => assert.equal((await cells(page, 'Functions')).length, 12));
		assert.equal(await page.locator('tr.inside').count(), 0);
	});

	await test('a long list of new functions is short, and opens; a row without evidence says so', async () => {
		const page = await open(WHERE, {answers: answers(doc.ofJobs(300))});
		const list = page.getByRole('region', {name: 'Appeared'});
		// Not paged: it replaced another kernel of the same group.
		await seen(async () => assert.deepEqual(await list.getByRole('button').allInnerTexts(), ['fresh_0', 'fresh_1', 'fresh_2', 'fresh_3', 'fresh_4']));
		await list.getByText('and 295 more').click();
		await seen(async () => assert.equal(await list.getByRole('button').count(), 300));
		assert.ok(await list.evaluate((e) => e.clientHeight) < 600, 'the opened list scrolls');
		await page.getByLabel('Filter functions by name or device').fill('nccl');
		await seen(async () => assert.deepEqual((await cells(page, 'Functions')).map((r) => r.slice(0, 2)), [['not judged', 'nccl']]));
	});
}

async function served(test, {open, api}) {
	const compared = async () => {
		const {items} = await (await api('/jobs')).json();
		const id = (name) => items.find((j) => j.name === name).id;
		return `/compare?base=job:${id('even')}&head=job:${id('uneven')}`;
	};

	await test('the operators and ranks of the server, unchanged', async () => {
		const where = await compared();
		const made = await (await api(where)).json();
		const page = await open(where);
		await seen(async () => assert.deepEqual((await cells(page, 'Operators')).map((r) => r[1].split('\n')[0]), made.operators.map((o) => o.operator)));
		const gemm = made.functions.find((r) => r.operator_name === 'gemm');
		assert.equal(gemm.items.length, 3);
		await tableOf(page, 'Operators').getByRole('button', {name: 'gemm'}).click();
		await seen(async () => assert.deepEqual((await cells(page, 'Functions of gemm')).map((r) => [r[1], r[2]]), [['gemm_kernel', '3 ranks']]));
		await tableOf(page, 'Functions of gemm').getByRole('button', {name: 'gemm_kernel'}).click();
		await seen(async () => assert.deepEqual((await cells(page, 'Devices and ranks of gemm_kernel')).map((r) => r[1]), gemm.items.map((i) => made.items[i].device)));
		assert.equal(made.items[gemm.items[0]].device, 'rank 2, GPU 0');
		await tableOf(page, 'Devices and ranks of gemm_kernel').getByRole('button', {name: 'rank 2, GPU 0'}).click();
		await page.getByRole('img', {name: /^Time per iteration, gemm_kernel: 8 iterations of the base, 8 iterations of the head$/}).waitFor();
	});

	await test('a kind of work that does not exist: one message', async () => {
		const page = await open(`${await compared()}&group=9`, {allowed: /404/});
		await page.getByRole('alert').waitFor();
		assert.equal(await page.getByRole('table').count(), 0);
	});
}

export default async function operators(test, world) {
	await given(test, world);
	await served(test, world);
}
