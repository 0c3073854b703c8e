// home.js - /: what needs attention, where the GPU time of each day was used, the largest headroom,
// the workloads, the last gate and the newest run. Each part is loaded by itself: if one fails, it
// says what is missing, and the others stay.

import * as api from '../lib/api.js';
import {chart, s} from '../chart/chart.js';
import {dayBars, dayColumns, dayLegend, hoursText} from '../chart/chart_days.js';
import {compareUrl, MAIN_LAST, sideQuery} from '../lib/comparison.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import * as o from '../lib/operators.js';
import {missingText, partList} from '../lib/parts.js';
import {runsUrl, scopedUrl, scopeText} from '../lib/scope.js';
import {table} from '../lib/table.js';
import {changeText, METRICS, minChangeRuns, trendsUrl, workloadName} from '../lib/trends.js';
import {outcome} from './gate.js';
import {jobName} from './jobs.js';

// Without a time range the page shows the last days: older gates and change points are settled.
const DEFAULT_DAYS = 30;
const RANGES = [7, 30, 90];
const FIRST_DAY = '1970-01-01';
const OPERATORS = 5;
const DAY_MS = 86400000;

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
const daysAgo = (days, now) => dayOf(now - days * DAY_MS);

// The scope of the page: that of the address, or the last days.
export function homeScope(query, now) {
	const parts = ['project', 'workload', 'since', 'until'];
	const scope = Object.fromEntries(parts.map((name) => [name, query.get(name) ?? '']));
	if (!scope.since) scope.since = daysAgo(DEFAULT_DAYS, now);
	return scope;
}

const age = (iso) => h('time', {datetime: iso, title: f.moment(iso)}, f.age(iso, Date.now()));
const named = (text) => h('bdi', {}, text);

// ---- filter

function filterForm(query, scope, choices, at) {
	const input = (name, type, more) =>
		h('input', {type, name, value: query.get(name) ?? '', autocomplete: 'off', ...more});
	const inputs = [
		['Project', input('project', 'text', {placeholder: 'whole name', list: 'offered-project'})],
		['Workload', input('workload', 'text', {placeholder: 'whole name', list: 'offered-workload'})],
		['Since', input('since', 'date', {value: scope.since.slice(0, 10)})],
		['Until', input('until', 'date', {value: scope.until.slice(0, 10)})],
	];
	const submit = (e) => {
		e.preventDefault();
		const now = Object.fromEntries(inputs.map(([, i]) => [i.name, i.value.trim()]));
		at.go(scopedUrl('/', {...now, since: now.since || FIRST_DAY}));
	};
	const range = (days) =>
		h('a', {href: scopedUrl('/', {...scope, since: daysAgo(days, Date.now()), until: ''})}, `${days} days`);
	return h(
		'form',
		{role: 'search', 'aria-label': 'Project, workload and time range', class: 'filter-form', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			inputs.map(([label, i]) => field(label, i)),
			h(
				'div',
				{class: 'actions'},
				h('button', {type: 'submit', class: 'main'}, 'Show'),
				query.size ? h('a', {href: '/'}, 'Clear') : null,
			),
		),
		h(
			'p',
			{class: 'hint ranges'},
			'Range: ',
			RANGES.flatMap((days) => [range(days), ' · ']),
			h('a', {href: scopedUrl('/', {...scope, since: FIRST_DAY, until: ''})}, 'all time'),
		),
		choices,
	);
}

// Offers the projects and workloads of the answer.
const offered = (doc) =>
	['project', 'workload'].map((name) =>
		h(
			'datalist',
			{id: `offered-${name}`},
			[...new Set(doc.workloads.map(({workload}) => workload[name]))]
				.filter(Boolean)
				.map((value) => h('option', {value})),
		),
	);

// ---- needs attention

// A line: its kind, then what it is about with a link.
const line = (kind, severity, ...content) =>
	h('li', {}, h('span', {class: `severity ${severity}`}, kind), h('span', {}, ...content));

const moreLine = (all, shown, what, href) =>
	all > shown ? h('li', {class: 'quiet'}, h('a', {href}, `${f.count(all - shown)} more ${what}`)) : null;

const seriesUrl = ({project, workload, metric, of}) =>
	trendsUrl(new URLSearchParams({project, workload, metric}), {of: of ?? ''});

const changeName = (c) => (c.of === null ? METRICS[c.metric].label : c.of);

// The comparison of the newest runs of a branch with those of main.
const branchUrl = ({project, workload, branch}) =>
	compareUrl(
		Object.fromEntries(
			[
				['base', 'main'],
				['head', branch],
			].map(([side, value]) => [side, sideQuery({project, workload, key: 'branch', value, last: MAIN_LAST})]),
		),
	);

function attention(doc, scope) {
	return [
		doc.regressed_gates.map((g) =>
			line(
				'Gate regressed',
				'error',
				h('a', {href: `/gates/${g.id}`}, named(g.name || `gate ${g.id}`)),
				g.summary ? [': ', named(f.sentence(g.summary))] : '',
				' ',
				age(g.created_at),
			),
		),
		moreLine(
			doc.regressed_gates_total,
			doc.regressed_gates.length,
			'regressed gates',
			scopedUrl('/gates', scope, {outcome: 'regressed'}),
		),
		doc.change_points.map((c) =>
			line(
				'Change point',
				'loss',
				h('a', {href: seriesUrl(c)}, named(`${changeName(c)} of ${workloadName(c)}`)),
				c.change_pct === null ? ': the size of the change is unknown' : `: ${changeText(c.change_pct)}`,
				', since ',
				h('a', {href: `/runs/${c.run}`}, `run ${c.run}`),
				' ',
				age(c.at),
			),
		),
		moreLine(
			doc.change_points_total,
			doc.change_points.length,
			'change points',
			scopedUrl('/trends', {project: scope.project}),
		),
		doc.slower_branches.map((b) =>
			line(
				'Slower branch',
				'loss',
				h('a', {href: branchUrl(b)}, named(`${b.branch} of ${workloadName(b)}`)),
				`: median iteration ${changeText(b.change_pct)} against main, longer in each of ${f.plural(b.runs, 'run')}, not tested `,
				age(b.at),
			),
		),
		doc.slower_branches_total > doc.slower_branches.length
			? h('li', {class: 'quiet'}, `${f.count(doc.slower_branches_total - doc.slower_branches.length)} more slower branches`)
			: null,
		doc.slow_gpus.map((g) =>
			line(
				'Slow GPU',
				'loss',
				h('a', {href: scopedUrl('/devices', {project: g.project}, {verdict: 'slow'})}, named(g.gpu)),
				`: ${changeText(g.slowdown_pct)} time relative to the median GPU`,
				' ',
				age(g.found_at),
			),
		),
		moreLine(
			doc.slow_gpus_total,
			doc.slow_gpus.length,
			'slow GPUs',
			scopedUrl('/devices', {project: scope.project}, {verdict: 'slow'}),
		),
		doc.failed_uploads.map((u) =>
			line(
				'Upload failed',
				'error',
				h('a', {href: '/uploads?state=failed'}, named(u.name || u.file_name || `upload ${u.id}`)),
				u.error ? [': ', named(u.error)] : '',
				' ',
				age(u.created_at),
			),
		),
		moreLine(
			doc.failed_uploads_total,
			doc.failed_uploads.length,
			'failed uploads',
			'/uploads?state=failed',
		),
	].flat();
}

const jobLink = (j) => h('a', {href: `/jobs/${j.id}`}, named(jobName(j)));

// The line of a job whose ranks are unbalanced, or that cannot be read; else null.
async function jobLine(j, signal) {
	try {
		const job = await api.job(j.id, signal);
		return job.unbalanced ? line('Unbalanced ranks', 'loss', jobLink(j), `: ${job.headline}`) : null;
	} catch (reason) {
		return line('Job not read', 'warn', jobLink(j), `: ${missingText(reason)}`);
	}
}

// The lines of the newest jobs, one after the other: the server computes few such answers at once.
async function jobLines(doc, signal) {
	const lines = [];
	for (const j of doc.jobs) if (!signal.aborted) lines.push(await jobLine(j, signal));
	return lines.filter(Boolean);
}

// Jobs take longer than the rest, so their lines are added when they arrive.
function attentionPart(doc, scope, signal) {
	const known = attention(doc, scope).filter(Boolean);
	const list = h('ul', {class: 'attention'}, known);
	const jobs = h('p', {class: 'hint'});
	const show = (late, done) => {
		list.append(...late);
		list.hidden = !list.childElementCount;
		const compared = doc.jobs.length
			? `The ranks of the ${doc.jobs.length > 1 ? `${doc.jobs.length} newest jobs` : 'newest job'} ${done ? 'were' : 'are being'} compared.`
			: '';
		const until = scope.until ? ` until ${scope.until.slice(0, 10)}` : '';
		const nothing = list.hidden && done ? `Nothing since ${scope.since.slice(0, 10)}${until}.` : '';
		jobs.textContent = [nothing, compared].filter(Boolean).join(' ');
	};
	show([], !doc.jobs.length);
	if (doc.jobs.length)
		jobLines(doc, signal).then((late) => signal.aborted || show(late, true));
	return [list, jobs];
}

// ---- where the time went, headroom

function daysPart(doc) {
	const used = doc.days.filter((day) => day.runs);
	if (!used.length) return h('p', {}, 'No run of these days has GPU time.');
	const hours = used.reduce((n, day) => n + day.hours, 0);
	const label = `${hoursText(hours)} GPU-hours in ${f.plural(doc.days.length, 'day')}`;
	return [
		chart({
			caption: `GPU-hours per day by operator (${label})`,
			label: `GPU-hours per day by operator: ${label}`,
			hint: 'Point at a day, or use the arrow keys, to read it.',
			draw: dayBars(doc),
			columns: dayColumns(doc),
			rows: doc.days,
			steps: true,
		}),
		dayLegend(doc),
		h(
			'p',
			{class: 'hint'},
			'The hours that the runs represent: 1 per run, unless the upload states them. The hours of a day are ' +
				'divided by GPU time. At most 90 days are shown.',
		),
	];
}

function headroomPart(doc, scope) {
	const rows = doc.items
		.filter((r) => r.operator !== null && r.headroom > 0 && doc.hours !== null)
		.sort((a, b) => b.headroom - a.headroom)
		.slice(0, OPERATORS);
	if (!rows.length) return h('p', {}, 'No operator has a known headroom.');
	const hours = (r) => r.headroom * doc.hours;
	return [
		table({
			caption: 'Largest headroom',
			columns: [
				{
					label: 'Operator',
					head: true,
					cell: (r) => h('a', {href: scopedUrl('/importance', scope, {open: r.operator})}, named(r.operator)),
				},
				{
					label: 'Headroom',
					unit: 'GPU h',
					num: true,
					cell: (r) => o.upTo(hoursText(hours(r)), r.collective),
					title: (r) =>
						`${hours(r)} of the ${doc.hours} GPU-hours that the runs represent` +
						`${r.collective ? ', waiting for other ranks included: an upper bound' : ''}`,
				},
				{
					label: 'Share of GPU time',
					num: true,
					cell: (r) => o.upTo(o.share(r.headroom), r.collective),
					title: () => 'share of all GPU time above the roofline bound',
				},
				{label: 'Importance', num: true, cell: (r) => o.share(r.importance)},
			],
			rows,
			empty: '',
		}).node,
		rows.some((r) => r.collective) ? h('p', {class: 'hint'}, o.WAITS) : '',
		h('p', {class: 'hint'}, h('a', {href: scopedUrl('/importance', scope)}, 'All operators')),
	];
}

// ---- workloads

const SPARK = {width: 120, height: 24, pad: 3};

function sparkline(w) {
	const values = w.iteration_ns;
	if (values.length < 2) return h('span', {class: 'quiet', title: 'fewer than two runs have iterations'}, f.NONE);
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const {width, height, pad} = SPARK;
	const x = (i) => pad + ((width - 2 * pad) * i) / (values.length - 1);
	const y = (v) => (high > low ? height - pad - ((height - 2 * pad) * (v - low)) / (high - low) : height / 2);
	const d = values.map((v, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join('');
	return s(
		'svg',
		{
			class: 'spark',
			viewBox: `0 0 ${width} ${height}`,
			width,
			height,
			role: 'img',
			'aria-label':
				`Median iteration of the last ${values.length} runs: from ${f.duration(values[0])} to ` +
				`${f.duration(values.at(-1))}, lowest ${f.duration(low)}, highest ${f.duration(high)}`,
		},
		s('path', {d}),
		s('circle', {cx: x(values.length - 1), cy: y(values.at(-1)), r: 2.5}),
	);
}

const RANKS = 'a job counts once, with the mean over its ranks';

// The number of runs of a workload, with a link to their list.
function runsCell({workload}, scope) {
	const href = runsUrl(workload, scope);
	return href ? h('a', {href}, f.count(workload.runs)) : f.count(workload.runs);
}

// The trends of a workload, or its runs if they are too few for a trend.
function workloadUrl({project, workload, runs}, query, scope) {
	const few = runs < minChangeRuns() && runsUrl({project, workload}, scope);
	const range = {since: query.get('since'), until: query.get('until')};
	return few || trendsUrl(new URLSearchParams(), {project, workload, ...range});
}

function workloadColumns(query, scope) {
	const last = (w) => w.iteration_ns.at(-1) ?? null;
	return [
		{
			label: 'Workload',
			head: true,
			cell: (w) =>
				h(
					'a',
					{
						href: workloadUrl(w.workload, query, scope),
					},
					named(workloadName(w.workload)),
				),
		},
		{
			label: 'Last iteration',
			num: true,
			cell: (w) =>
				last(w) !== null && w.devices.length > 1
					? [f.duration(last(w)), ' ', h('span', {class: 'quiet'}, named(w.device ?? 'device unknown'))]
					: f.duration(last(w)),
			title: (w) =>
				last(w) === null
					? 'no run has iterations'
					: `${f.exact(last(w))}${w.device ? ` on ${w.device}, as the other values of this row` : ''}; ${RANKS}`,
		},
		{label: 'Iterations', cell: sparkline},
		{
			label: 'Lowest to highest',
			num: true,
			cell: (w) =>
				w.iteration_ns.length > 1
					? `${f.duration(Math.min(...w.iteration_ns))} to ${f.duration(Math.max(...w.iteration_ns))}`
					: f.NONE,
			title: (w) => `${w.iteration_ns.length > 1 ? 'of the runs' : 'one value'}; ${RANKS}`,
		},
		{label: 'Runs', num: true, cell: (w) => runsCell(w, scope)},
		{label: 'Newest', num: true, cell: (w) => age(w.workload.last_at)},
	];
}

function workloadsPart(doc, scope, query) {
	const more = doc.workloads_total - doc.workloads.length;
	return [
		table({
			caption: 'Workloads',
			columns: workloadColumns(query, scope),
			rows: doc.workloads,
			empty: 'No run is in this range.',
		}).node,
		more > 0
			? h(
					'p',
					{class: 'hint'},
					h('a', {href: scopedUrl('/trends', {project: scope.project})}, `${f.count(more)} more workloads`),
				)
			: '',
	];
}

// ---- the newest of each kind

function newestPart(doc) {
	const gate = doc.last_gate;
	const run = doc.newest_run;
	return h(
		'ul',
		{class: 'attention'},
		gate
			? h(
					'li',
					{},
					outcome(gate.outcome),
					h(
						'span',
						{},
						'Last gate: ',
						h('a', {href: `/gates/${gate.id}`}, named(gate.name || `gate ${gate.id}`)),
						gate.summary ? [', ', named(f.sentence(gate.summary))] : '',
						' ',
						age(gate.created_at),
					),
				)
			: h('li', {}, h('span', {}, 'Last gate: there is none yet.')),
		run
			? h(
					'li',
					{},
					h(
						'span',
						{},
						'Newest run: ',
						h('a', {href: `/runs/${run.id}`}, named(run.name || `run ${run.id}`)),
						run.project || run.workload ? [' of ', named(workloadName(run))] : '',
						' ',
						age(run.created_at),
					),
				)
			: h('li', {}, h('span', {}, 'Newest run: there is none yet.')),
	);
}

// ---- an empty server

// The commands that send the first runs, each with what it does.
export function firstCommands(origin) {
	const server = origin === 'http://127.0.0.1:8080' ? '' : `--server ${origin} `;
	return [
		['Record the GPU work of a program', `kernsift run ${server}--project demo -- python3 train.py`],
		['Upload a trace', `kernsift upload ${server}--project demo --wait trace.json.gz`],
		['Upload a trace without kernsift', `curl -T trace.json.gz -X POST '${origin}/api/v1/uploads?project=demo'`],
	];
}

const welcome = () =>
	h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'No runs yet'),
		h('p', {}, 'A run is one profiled process. Each of these commands sends the first one:'),
		firstCommands(location.origin).map(([what, command]) => [
			h('h3', {}, what),
			h('pre', {tabindex: '0', 'aria-label': `Command: ${what}`}, h('code', {}, command)),
		]).flat(),
		h('p', {}, 'Or drop files on the ', h('a', {href: '/uploads'}, 'uploads page'), '.'),
	);

const isEmpty = (doc, query) =>
	!doc.newest_run && !doc.failed_uploads_total && !query.get('project') && !query.get('workload');

export async function page(view, query, at) {
	const scope = homeScope(query, Date.now());
	const part = partList(at.signal);
	const choices = h('div', {});
	let pending = null;
	// One request for all parts that it has the data of.
	const home = () =>
		(pending ??= api.home(scope, at.signal).catch((error) => {
			pending = null;
			throw error;
		}));
	const day = (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
	const importance = () =>
		api.importance({...scope, since: day(scope.since), until: day(scope.until)}, at.signal);
	view.append(
		h('h1', {}, 'Home'),
		h(
			'p',
			{class: 'scope-line'},
			h('bdi', {}, `Runs of ${scopeText(scope)}.`),
			' Slow GPUs, the last gate and the newest run are of any time.',
		),
		filterForm(query, scope, choices, at),
		part('Needs attention', 'Gates, change points, branches, slow GPUs and uploads are', async () =>
			attentionPart(await home(), scope, at.signal),
		),
		part('Where GPU time is used', 'The hours of each day are', async () => daysPart(await home())),
		part('Largest headroom', 'Operators are', async () => headroomPart(await importance(), scope)),
		part('Workloads', 'Workloads are', async () => workloadsPart(await home(), scope, query)),
		part('Newest', 'The last gate and the newest run are', async () => newestPart(await home())),
	);
	home().then(
		(doc) => {
			if (at.signal.aborted) return;
			choices.replaceChildren(...offered(doc));
			if (isEmpty(doc, query)) view.replaceChildren(h('h1', {}, 'Home'), welcome());
		},
		() => {}, // the parts show it
	);
	return 'Home';
}
