// run_measures.js - tab: results of benchmarks that were attached to a run. A run without them has
// no such tab.

import * as api from '../lib/api.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';

const SOURCES = {
	plain: 'NAME=VALUE UNIT',
	vllm: 'vLLM',
	sglang: 'SGLang',
	aiperf: 'AIPerf or GenAI-Perf',
	mlperf: 'MLPerf LoadGen',
};

const COLUMNS = [
	{
		label: 'Measure',
		head: true,
		cell: (m) => [h('code', {}, m.name), m.meaning ? h('div', {class: 'hint'}, m.meaning) : null].filter(Boolean),
	},
	{label: 'Value', num: true, cell: (m) => f.number(m.value), title: (m) => String(m.value)},
	{label: 'Unit', cell: (m) => (m.unit === '1' ? '' : m.unit)},
	{label: 'Better', cell: (m) => m.better ?? f.NONE},
	{label: 'Tool', cell: (m) => SOURCES[m.source]},
	{label: 'File', cell: (m) => m.file},
	{
		label: 'Sent',
		cell: (m) => h('time', {datetime: m.created_at}, f.moment(m.created_at)),
	},
];

export async function measureTab(run, query, at) {
	const {items} = await api.measures(run.id, at.signal);
	return {node: table({caption: 'Measures', columns: COLUMNS, rows: items}).node};
}
