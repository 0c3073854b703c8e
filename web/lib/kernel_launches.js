// kernel_launches.js - the launches of one kernel: histogram, durations over time, and streams.
// The server computes them from the run's capture when the details of the kernel are opened.

import {chart} from '../chart/chart.js';
import {BIN_COLUMNS, launchesOverTime, launchHistogram, SLICE_COLUMNS} from '../chart/chart_launches.js';
import * as api from './api.js';
import {typicalUnit} from './columns.js';
import {h} from './dom.js';
import * as f from './format.js';
import {sorted, table} from './table.js';

function streamTable(doc, name) {
	const total = doc.times.total_ns;
	const unit = typicalUnit(doc.streams.map((r) => r.times.median_ns));
	const time = (label, key) => ({
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r.times[`${key}_ns`],
		cell: (r) => f.inUnit(r.times[`${key}_ns`], unit),
		title: (r) => f.exact(r.times[`${key}_ns`]),
	});
	const columns = [
		{label: 'Stream', head: true, num: true, cell: (r) => (r.stream === null ? 'unknown' : f.plain(r.stream))},
		{label: 'Device', num: true, cell: (r) => f.count(r.device)},
		{
			label: 'Launches',
			num: true,
			down: 'instances',
			up: '-instances',
			value: (r) => r.times.instances,
			cell: (r) => f.count(r.times.instances),
		},
		{
			label: 'Time',
			unit: '%',
			num: true,
			class: 'time',
			down: 'total',
			up: '-total',
			value: (r) => r.times.total_ns,
			cell: (r) => {
				const pct = total > 0 ? (r.times.total_ns * 100) / total : 0;
				return h('span', {class: 'share', style: {'--share': `${pct}%`}}, f.percent(pct));
			},
			title: (r) => f.exact(r.times.total_ns),
		},
		time('Median', 'median'),
		time('p99', 'p99'),
		time('Max', 'max'),
	];
	const shown = table({
		caption: `Streams of ${name}`,
		columns,
		rows: doc.streams,
		sort: 'total',
		onsort: (sort) => shown.update({rows: sorted(doc.streams, columns, sort), sort}),
	});
	const left = doc.streams_count - doc.streams.length;
	return [shown.node, left > 0 ? h('p', {class: 'hint'}, `${f.plural(left, 'more stream')} with less time.`) : ''];
}

function draw(doc, name) {
	const launches = f.plural(doc.times.instances, 'launch', 'launches');
	const p = `p50 ${f.duration(doc.times.median_ns)}, p99 ${f.duration(doc.times.p99_ns)}`;
	return [
		h(
			'div',
			{class: 'side-by-side'},
			chart({
				caption: `Durations of ${launches}`,
				label: `Histogram of the durations of ${launches} on a logarithmic axis: ${p}; the data table below lists the bins`,
				hint: `${p}. Each bar is a range of durations, on a logarithmic axis.`,
				draw: launchHistogram(doc),
				columns: BIN_COLUMNS,
				rows: doc.bins,
				steps: true,
			}),
			chart({
				caption: 'Durations over the run',
				label: `Durations of ${launches} over the run: the median and the longest of ${f.plural(doc.slices.length, 'slice')} of time`,
				hint: 'The line is the median of each slice of time; dots above it are the longest launches.',
				draw: launchesOverTime(doc),
				columns: SLICE_COLUMNS,
				rows: doc.slices.filter((slice) => slice.launches),
				steps: true,
			}),
		),
		...streamTable(doc, name),
	];
}

// The section of a kernel's details. It loads when it is shown first. If the launches cannot be
// read, it says so, and the other details stay.
export function launchSection(run, row, at) {
	const name = row.distinct_name || row.name;
	const place = h('div', {class: 'part'}, h('h3', {}, 'Launches'));
	let requested = false;

	async function load() {
		requested = true;
		const status = h('p', {class: 'loading'}, 'Loading launches…');
		place.append(status);
		place.setAttribute('aria-busy', 'true');
		try {
			status.replaceWith(...draw(await api.kernelLaunches(run.id, row.id, at.signal), name));
		} catch (error) {
			if (at.signal.aborted) return;
			const again = h('button', {type: 'button', on: {click: () => retry(failed)}}, 'Try again');
			const failed = h(
				'p',
				{class: 'line'},
				h('span', {class: 'quiet'}, `The launches are missing: ${error.message}.`),
				error.status === 404 ? '' : again,
			);
			status.replaceWith(failed);
		}
		place.removeAttribute('aria-busy');
	}

	function retry(failed) {
		failed.remove();
		load();
	}

	return {
		show() {
			if (!requested) load();
			return place;
		},
	};
}
