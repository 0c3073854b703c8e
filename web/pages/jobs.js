// jobs.js - the list of jobs, newest first.

import * as api from '../lib/api.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';

export const jobName = (job) => job.name || (job.upload ? `ranks of upload ${job.upload}` : `job ${job.id}`);

export async function page(view, query, at) {
	const [project, cursor] = [query.get('project'), query.get('cursor')];
	const {items, next} = await api.jobs({project, cursor}, at.signal);
	const now = Date.now();
	const columns = [
		{
			label: 'Job',
			head: true,
			class: 'wide',
			cell: (j) => [h('a', {href: `/jobs/${j.id}`}, jobName(j)), ' ', h('span', {class: 'quiet'}, `#${j.id}`)],
		},
		{label: 'Project', cell: (j) => j.project || f.NONE},
		{label: 'Runs', num: true, cell: (j) => h('a', {href: `/runs?job=${j.id}`}, f.count(j.runs.length))},
		{
			label: 'Added',
			num: true,
			cell: (j) => h('time', {datetime: j.created_at}, f.age(j.created_at, now)),
			title: (j) => f.moment(j.created_at),
		},
	];
	const to = (cursor) => {
		const q = new URLSearchParams(query);
		q.delete('cursor');
		if (cursor) q.set('cursor', cursor);
		return q.size ? `/jobs?${q}` : '/jobs';
	};
	view.append(
		h('h1', {}, 'Jobs'),
		h(
			'p',
			{class: 'hint'},
			'A job is one distributed execution: its runs are the ranks, from one upload, ',
			'or from several of the same job name.',
		),
		project
			? h('p', {class: 'hint'}, 'Only the jobs of project ', h('bdi', {}, project), '. ', h('a', {href: '/jobs'}, 'All jobs'))
			: '',
		table({
			caption: 'Jobs',
			columns,
			rows: items,
			empty: query.size
				? 'No job matches.'
				: 'No jobs yet. Upload the ranks of one execution in one file, or each with the same job name (--job).',
		}).node,
		h(
			'nav',
			{class: 'pager', 'aria-label': 'Pages of the list'},
			query.get('cursor') ? h('a', {href: to(null)}, 'First page') : null,
			next ? h('a', {href: to(next), rel: 'next'}, 'Next page') : null,
		),
	);
	return 'Jobs';
}
