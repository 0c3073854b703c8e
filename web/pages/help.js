// help.js - /help: explains how to read the pages of the dashboard. The help link of a page points
// to the id of a section (app.js).

import {CLASSES} from '../lib/comparison.js';
import {CAUSES} from '../lib/diagnosis.js';
import {h} from '../lib/dom.js';
import {OUTCOMES} from '../lib/gate_policy.js';
import {terms} from '../finding/glossary.js';
import {KEYS} from '../finding/keys.js';
import {VERDICTS} from './devices.js';
import {REGIMES, SOURCES, WEIGHTS} from '../lib/operators.js';

const described = (list, name = (key) => key) => ({
	terms: Object.entries(list).map(([key, value]) => [name(key, value), value.description ?? value]),
});
const marked = (key, {mark, text}) => `${mark} ${text ?? key}`;

// A section: [id, title, address of its page or null, ...blocks]. A block is a paragraph, a list
// of paragraphs, a table {terms: [[term, meaning], …]}, or the {glossary}. Text in backticks is code.
const SECTIONS = [
	[
		'reading',
		'Reading the pages',
		null,
		[
			'An unknown value is shown as –. The tooltip of the cell gives the reason.',
			'Durations have their unit in the column heading. The tooltip of a cell has the exact nanoseconds.',
			'A column heading that is a button sorts the table. A second click reverses the order.',
			'A row name with a triangle opens the details of the row.',
			'Filters, sort order, open rows and tabs are in the address. Copy the address to share a view.',
			'Most tables can be downloaded as CSV and Markdown.',
			'Each chart has a data table with the same numbers.',
		],
	],
	['keys', 'Keys', null, {terms: KEYS}, 'Single keys do nothing while you type. The list of keys (`?`) turns them off.'],
	[
		'home',
		'Home',
		'/',
		'The first page shows what needs attention, where GPU time is used, the largest headroom, the workloads, ' +
			'the last gate and the newest run. Without a time range it shows the last 30 days.',
		'Project, workload and time range stay when you open another page by the links at the top. A page ' +
			'ignores the parts that it cannot filter by.',
		{
			terms: [
				['Gate regressed', 'The gate failed, and no newer gate has its name.'],
				[
					'Change point',
					'A workload has a new level since this run. It is worse than the level before, or it is ' +
						'unknown whether it is.',
				],
				[
					'Unbalanced ranks',
					'In one of the three newest jobs, a rank waits for more than 5 % of the time, a rank computes ' +
						'longer than the median rank, or an operator takes longer on a rank.',
				],
				[
					'Slower branch',
					'The median iteration of each of its newest runs is longer than that of each of the newest runs of main, and at least 1 % in the median. The link opens the comparison, which tests it.',
				],
				['Slow GPU', 'The last search found that the GPU executes the same work slower than the median GPU.'],
				['GPU-hours', 'The hours that the runs represent: 1 per run, unless the upload states them.'],
			],
		},
	],
	[
		'runs',
		'Runs',
		'/runs',
		'A run is one profiled process. The list shows the newest runs first. Filter by project, workload, ' +
			'device, framework or label.',
		'To compare runs, tick those in question as head, then select “Compare … with…” below the table and choose ' +
		'the base, or tick the base in the list, too. With two to eight ' +
			'ticked runs, “Breakdown comparison” compares their layers.',
		'A run that was uploaded as a table has no single launches. It is marked “statistics only” or “patterns ' +
			'only”, and its percentiles, busy time, latency and callers are unknown.',
		'An admin can rename, relabel, move and delete runs: a single run under “Manage this run” on its page, ' +
			'several runs by ticking them in the list. After a change, “Undo” restores the earlier values. If ' +
			'another user has changed a run in the meantime, that run stays as it is. A deleted run cannot be restored.',
		'A run of calls without starts is marked “durations only”. Its span, busy time, iterations and ' +
			'timeline are unknown.',
	],
	[
		'run',
		'A run',
		null,
		'Next to the name of a run are its notes: problems of the trace, each with a count, which affect all ' +
			'numbers. “Compare with main” compares the runs of its commit with the newest runs of the base, which ' +
			'is a query. The process, totals and the timeline are in the details.',
		{
			terms: [
				[
					'Overview',
					'The largest causes of the time, each with a link to the tab that shows it. Utilization counts ' +
						'kernels, copies and sets as busy. A gap is a time in which nothing runs on any GPU of the ' +
						'run: its causes, the records before and after it, and what launched the record after.',
				],
				[
					'Kernels',
					'Statistics per kernel, equal to `cuda_gpu_kern_sum` of `nsys stats`, with p90 and p99. A ' +
						'row opens to the call paths that launched the kernel, a histogram of its launches, their durations over ' +
						'the run, and its streams. CUDA graphs recorded as one piece ' +
						'are in a table of their own.',
				],
				[
					'Flame graph',
					'GPU time by call path, module, operator and kernel. The width of a bar is its time. Instances ' +
						'of a layer are one bar (`Layer_*`). Frames without a sibling are folded into one bar. Bold ' +
						'names are the nearest user frame: the innermost Python function that is not of a library. ' +
						'A second run colors each bar by its change. Arrow keys move, Enter zooms, Escape zooms out.',
				],
				[
					'Timeline',
					'What each stream did when, with ranges, iterations and idle time by cause. Short items are ' +
						'merged until you zoom in; the sums below are exact. Click a kernel to highlight it ' +
						'everywhere. The causes of idle time are those of “Why a run is slow”.',
				],
				[
					'Operators',
					'What the GPU time was spent on. Attribution source says how an operator is known. ' +
						'Unattributed is the time without a known operator. Replayed CUDA graphs get their operators ' +
						'from stream captures; a table shows how well each capture matches.',
				],
				[
					'Layers',
					'The layers of the model, each with its blocks, and the share of wall time. A row is one ' +
						'role in a layer, such as `qkv` or `o_proj`. Exclusive, overlapped and idle time add up to ' +
						'the wall time. Similarity is the confidence that the layers were found correctly. If it is ' +
						'low, enter the layer boundaries.',
				],
				['Launched together', 'Kernels that are always launched together, with support and confidence.'],
				[
					'Launch latency',
					'The time from the API call to the end of its kernel: the call, the queue, and the kernel itself.',
				],
				[
					'Iterations',
					'The repetitions of the work, such as training steps: their durations and where their time ' +
						'went. Warm-up and cut-off iterations are excluded from comparisons. A stratum is the set ' +
						'of iterations with the same work.',
				],
				['Functions per iteration', 'The mean share of each function in an iteration, and its counters.'],
				['Copies and sets', 'Memory copies and memory sets by operation.'],
				['Devices', 'The devices of the run and their busy time.'],
			],
		},
		'“Open in Perfetto” shows the timeline in a new tab. The trace stays in your browser.',
	],
	[
		'diagnosis',
		'Why a run is slow',
		null,
		'The time of the kept iterations is divided into causes, exact to the nanosecond. Busy: a GPU works. Idle: ' +
			'no GPU of the process works; the API call that launched what runs next decides the cause.',
		described(CAUSES, (key, {label}) => label),
	],
	[
		'attribution',
		'Attribution sources',
		null,
		'How the operator of a launch is known, the most certain source first:',
		described(SOURCES),
	],
	[
		'importance',
		'Importance',
		'/importance',
		"Importance is an operator's share of the GPU time of many runs. Select how runs are weighted:",
		described(WEIGHTS, (key) => (key === 'published' ? key : `w_${key}`)),
		'Headroom is the GPU time above the roofline bound, in GPU-hours of those that the runs represent. Operators ' +
			'are ordered by it; those without a roofline bound follow. Prevalence is the share of runs with the ' +
			'operator. The coverage line says how much of the GPU time has an operator, a shape and a roofline ' +
			'bound.',
		'Energy is known of runs that have samples of the power of all their GPUs. If the energy of no operator of a run ' +
			'is known, the energy is divided by GPU time.',
		'The tab Fusions lists operators in sequence that one kernel could execute, and the GPU-hours that this would save. ' +
			'Only an execution trace of PyTorch (`torch.profiler.ExecutionTraceObserver`), sent with the trace in one archive, ' +
			'shows who reads the tensor between them. Pairs without one are listed apart.',
		'An operator opens to its shapes, ordered by headroom. Search finds shapes by sizes, dtype, phase or platform. ' +
			'Shapes whose sizes are unknown are added up in the last row. A reference set shows published figures next to your fleet.',
	],
	[
		'devices',
		'Devices',
		'/devices',
		'The list shows the GPUs that runs used, slow ones first. A GPU is compared with the median GPU that executes ' +
			'the same operator shapes on the same platform, in runs of the same project, workload and framework.',
		described(VERDICTS, marked),
		'Runs of the collector (`kernsift run`), Nsight Systems and rocprofv3 state which GPU they used. Runs of PyTorch ' +
			'state at most their host and the number of the GPU. It identifies the GPU if the process saw several.',
		'If the SM clock is recorded, the slowdown is split into a lower clock, a clock that power or heat lowered, ' +
			'and neither.',
	],
	[
		'roofline',
		'Roofline bound, S and regime',
		null,
		'The work W (FLOP) and the data Q (bytes) of a launch follow from its shape. The roofline bound is ' +
			'`T_SOL = max(W / peak, Q / bandwidth)`, and `S = T_SOL / T`. S of 100 % means as fast as the hardware ' +
			'allows.',
		{
			terms: [
				[
					'Grade',
					'good: S of 33 % or more; fair: 12.5 % or more; low: below 12.5 %. These limits are those of Atrex-Bench, the ' +
						'same for every operator. A good grade does not mean that nothing can be saved: that is the headroom.',
				],
				[
					'S of all time',
					'The T_SOL of all calls, divided by their time. S of the median call is higher if some calls take much ' +
						'longer than the median, such as collectives that wait for other ranks.',
				],
				[
					'above 1',
					'S above 100 % is flagged and not clamped: the cost model is wrong, or the data was in a cache.',
				],
				...described(REGIMES, (key, {letter}) => `Regime ${letter}`).terms,
				['AI', 'Arithmetic intensity: W / Q, in FLOP per byte.'],
				[
					'Fleet-best S',
					'The 95th percentile of S over the stored calls of one platform, operator, dtype, regime and size ' +
						'class (a power of two of W, Q or bus bytes). It requires 20 calls in five runs. Its link opens a run that reached it.',
				],
				[
					'Nsight Compute',
					'Achieved throughput and stall reasons of a kernel profile (`kernsift attach RUN FILE`). Nsight Compute ' +
						'executes each kernel alone, by default at base clocks, so its figures are not those of the run.',
				],
				[
					'SM clock',
					'If the trace has samples of the SM clock, the compute peaks are those of the data sheet times the mean ' +
						'clock while kernels ran, divided by the clock that the data sheet assumes. S and headroom by the data ' +
						'sheet are shown next to them. Fleet-best, reachable headroom, importance, trends, gates and breakdown ' +
						'comparisons use only the data sheet, so that runs with and without a recorded clock are comparable.',
				],
				[
					'MFU, HFU, MBU',
					'Model FLOP utilization, hardware FLOP utilization and model bandwidth utilization: the sums over calls of W / peak and ' +
						'Q / bandwidth, divided by the time: GPU time of an operator, wall time of an iteration, of the kept iterations of a run, ' +
						'or of a layer from its first start to its last end. Peaks are the ' +
						"data sheet's dense ones, whatever the SM clock was. Time of calls whose work is unknown counts as time without work, so " +
						'read them with their coverage. Operations that activation checkpointing computes again count in HFU only, if host ' +
						'operators of PyTorch show them. If nothing shows which they are, HFU is unknown and MFU contains them.',
				],
				[
					'Reachable headroom',
					'The GPU time that shapes would save at their fleet-best: `t · (1 − S / S_best)`. Unknown without a ' +
						'fleet-best.',
				],
			],
		},
		'A collective is compared with the link between its ranks: `T_SOL = bus bytes / peak of the link`, with ' +
			'the bus bytes of nccl-tests. Its time includes waiting for other ranks, so its headroom is an upper ' +
			'bound and its S has no grade. The page of a job separates waiting from transfer.',
		'S is unknown if the shape, the peak of the platform or the cost model is missing, and of a collective also ' +
			'if its process group is unknown.',
	],
	[
		'catalog',
		'Catalog',
		'/catalog',
		'The catalog contains operators, naming rules that map kernel names to operators, and platforms with ' +
			'their peaks. Administrators can add site overrides, which take precedence and apply to later uploads.',
		'“Test naming rules” shows which rule matches a kernel name, and why. The tab Unattributed lists the ' +
			'kernels for which a new rule has the most effect.',
	],
	[
		'compare',
		'Compare',
		'/compare',
		'A comparison shows what changed from a base to a head. Each side is one run, several repeats, the ' +
			'ranks of a job (`job:7`), or a query such as `label.branch=main last=5`. Use at least four runs per ' +
			'side for the strongest evidence.',
		'A query consists of `project=`, `workload=`, `framework=`, `label.KEY=`, `since=`, `until=`, and ' +
			'`latest` or `last=N`, with spaces between. A value with spaces is in double quotes. As a base, a query ' +
			'excludes the head and runs stored after it.',
		'The outcome is beside the headline: that of the iteration, or if the iteration did not change, that of the ' +
			'functions. If a finding makes the sides incomparable, nothing is judged, and “Show the differences ' +
			'anyway” shows the differences as a description. Below are the time of an iteration by part, and the ' +
			'functions with their classes:',
		described(CLASSES, marked),
		'The margin is 5 %, unless the comparison sets another. A significant change is within the margin if it is ' +
			'less than half the margin of the function and less than a fifth of the margin of the iteration, or less ' +
			'than 0.01 % of the iteration.',
		'Evidence says what a class is based on: `runs` (at least four per side), `iterations` or ' +
			'`launches`.',
		'Compilers give their kernels other numbers in each compilation. Such kernels are matched by the rest of the ' +
			'name, their grids, shapes, launches and place in the sequence, and are marked “renamed (inferred)”. If ' +
			'several fit equally well, their sums are compared.',
		'The noise floor is the relative deviation between repeats. It is estimated from repeats that were stored ' +
			'before both sides, and from the functions and workloads of the project; without repeats it is 3 %.',
		'The published score is for comparison with other tools. Use the verdict for decisions.',
	],
	[
		'breakdown',
		'Breakdown comparison',
		'/breakdown',
		'Compares the layers of two to eight runs. Rows are matched by role, also across GPU vendors: if one ' +
			'run fuses what another splits, several kernels share a cell. Rows without a match are kept and marked.',
		'The headline says which run is faster, by how much, and which operator has the largest part of the ' +
			'difference. For runs of one workload on different GPUs, the list of runs and the page of a run link here.',
		'The table Changes has the largest difference first, per iteration. Rows with less than 1 % of every run, ' +
			'and rows that only few layers have, are folded.',
		'Some recordings shift kernel names against their durations. Such runs are marked “names misaligned” ' +
			'and excluded from comparisons. “Realign names with durations” corrects them by estimate.',
	],
	[
		'trends',
		'Trends',
		'/trends',
		'A trend is one value per run of a workload over time. A job counts as the mean of its ranks. Runs ' +
			'without the value are counted as excluded, not estimated.',
		'A change point is where the level of the series changed permanently, found by a permutation test. ' +
			'Label runs with `commit` and upload at least three runs per commit, so that runs of a commit form a ' +
			'group. If the runs before and after it do different work, the change point says so: the work is ' +
			'examined by the rules of a comparison. A change point needs at least 10 runs, or 10 groups, at the ' +
			'default alpha of 0.01: with fewer, chance alone gives as clear a step in more than 1 % of all orders.',
		'Bus bandwidth counts the bytes of collectives as nccl-tests do. It includes the time in which a rank ' +
			'waits for others, and a fall of it is a change for the worse.',
		'The table Change points links each change to a comparison of the runs before and after it.',
	],
	[
		'gates',
		'Gates',
		'/gates',
		'A gate compares a head with a baseline under gate rules and decides whether the head passes.',
		described(OUTCOMES, marked),
		'A gate passes if every estimate is below its limit; statistical significance is not required. An ' +
			'undecided gate shows how many runs of the head are needed.',
		'Use a long baseline, such as `label.branch=main last=60`, and label the runs with `commit`. If commits ' +
			'differ by more than their runs explain, the number of commits decides how clear a change is, and ' +
			'more runs of the head do not help.',
		'A head of one run can fail if the baseline has at least 20 commits.',
		'A stored gate never changes. Each gate has a page, Markdown, JUnit XML and a badge.',
	],
	[
		'jobs',
		'Jobs',
		'/jobs',
		'A job is one distributed execution; its runs are the ranks. Transfer is the shortest time that any ' +
			'rank spent in a collective; the rest is waiting. A straggler computes significantly longer than the ' +
			'median rank.',
		'“Ranks over time” shows each rank in each iteration. Iterations are matched by their order; ranks with another ' +
			'number of iterations, or with other labels on the first and the last one, are not shown. More than 60 ' +
			'iterations share 60 columns.',
		'Collectives are matched by process group and number. If ranks of a group are missing, transfer time is an ' +
			'upper bound. Bus bandwidth is that of nccl-tests; its share of the link is known if the ranks state ' +
			'their hosts and the catalog has a peak of the link.',
		'Balance of the ranks shows which rank waits how long for which, and how much longer than on the ' +
			'median rank each operator takes on each rank. A rank waits at most as long for the rank that arrives ' +
			'last: part of the time it would have waited for the rank before it.',
		'All-to-all balance shows how evenly the all-to-alls load the ranks. If the traces record split sizes, a ' +
			'cell is what one rank sends to another, and the imbalance is the most that a rank receives, divided by ' +
			'the mean. Otherwise a cell is the time by which a rank exceeds the shortest one in a collective.',
	],
	[
		'uploads',
		'Uploads',
		'/uploads',
		'Drop files on the page or use `kernsift upload`. The format is detected from the first bytes; files ' +
			'can be plain, `.gz` or `.zst`. “Accepted formats” lists the formats and the commands that create them.',
		'Set the project, the workload and labels at the upload. Runs of one workload are comparable. The label ' +
			'`keep=true` protects a run from retention.',
	],
	[
		'settings',
		'Settings',
		'/settings',
		'A token has the scope `read`, `upload` or `admin`, for all projects or for one. On the machine of the ' +
			'server, reading and uploading require no token by default. The audit log lists every change request ' +
			'and its result.',
	],
	[
		'webhooks',
		'Webhooks',
		'/settings?tab=webhooks',
		'A webhook sends an event as JSON by POST when a gate does not pass or when a trend has a change point. ' +
			'The header `Kernsift-Signature: t=…,v1=…` has the HMAC-SHA256 of `t`, a dot and the body, with the ' +
			'bytes of the hexadecimal secret as key.',
		'A status of 200 to 299 within 10 s confirms a delivery. The server retries a failed delivery after 30 ' +
			's, 2, 10 and 30 minutes, 2, 6 and 15 hours. Status 410 cancels all waiting deliveries. A delivery can ' +
			'arrive twice with the same `Kernsift-Delivery`.',
	],
	[
		'retention',
		'Retention',
		'/settings?tab=retention',
		'By default nothing is deleted. Per project, uploads and runs can be limited by age, and their size by ' +
			'a quota. The server checks once per hour. Runs whose upload is deleted stay, but cannot be reanalyzed.',
	],
	['terms', 'Terms', null, 'Column headings show their meaning while the pointer or the focus is on them.', {glossary: true}],
];

// 'see `code`' -> nodes, with the parts between backticks as code.
const rich = (text) => text.split('`').map((part, i) => (i % 2 ? h('code', {}, part) : part));

function block(content) {
	if (typeof content === 'string') return h('p', {}, rich(content));
	if (content.glossary) return glossary();
	if (Array.isArray(content))
		return h(
			'ul',
			{},
			content.map((text) => h('li', {}, rich(text))),
		);
	return h(
		'dl',
		{class: 'terms'},
		content.terms.map(([term, meaning]) => h('div', {}, h('dt', {}, term), h('dd', {}, rich(meaning)))),
	);
}

const titleOf = (id) => SECTIONS.find(([section]) => section === id)[1];

// The glossary. Each term has an address and a link to the section that explains its page.
const glossary = () =>
	h(
		'dl',
		{class: 'terms'},
		terms().map(({term, meaning, section, id}) =>
			h(
				'div',
				{},
				h('dt', {id: decodeURIComponent(id), tabindex: '-1'}, term),
				h('dd', {}, rich(meaning), ' ', h('a', {href: `#${section}`}, `See ${titleOf(section)}`)),
			),
		),
	);

const section = ([id, title, address, ...blocks]) =>
	h(
		'section',
		{'aria-labelledby': id},
		h('h2', {id, tabindex: '-1'}, title),
		blocks.map(block),
		address ? h('p', {}, h('a', {href: address}, `Open ${title}`)) : null,
	);

export async function page(view) {
	view.append(
		h('h1', {}, 'Help'),
		h(
			'nav',
			{'aria-label': 'Sections of the help', class: 'line'},
			SECTIONS.map(([id, title]) => h('a', {href: `#${id}`}, title)),
		),
		h('div', {class: 'part help-text'}, SECTIONS.map(section)),
		h('p', {}, 'The API is described at ', h('a', {href: '/api/v1/openapi.json'}, '/api/v1/openapi.json'), '.'),
	);
	return 'Help';
}
