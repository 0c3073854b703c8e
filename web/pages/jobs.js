// jobs.js - the list of jobs, newest first.

import * as api from '../lib/api.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listCount, pager, pageUrl} from '../lib/list_pages.js';
import {table} from '../lib/table.js';

export const jobName = (job) => job.name || (job.upload ? `ranks of upload ${job.upload}` : `job ${job.id}`);

export async function page(view, query, at) {
	const [project, cursor] = [query.get('project'), query.get('cursor')];
	const list = await api.jobs({project, cursor, total: 'yes'}, at.signal);
	const {items, next} = list;
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
		listCount(list, 'job'),
		table({
			caption: 'Jobs',
			columns,
			rows: items,
			empty: query.size
				? 'No job matches.'
				: 'No jobs yet. Upload the ranks of one execution in one file, or each with the same job name (--job).',
		}).node,
		pager((to) => pageUrl('/jobs', query, to), cursor, next),
	);
	return 'Jobs';
}
