// kernel_profiles.js - what Nsight Compute measured of a kernel or shape: as a column next to S, and
// as a list in the details of a kernel.

import {h} from './dom.js';
import * as f from './format.js';
import {shareOfPercent} from './operators.js';

const FIGURES = [
	['sm_throughput_pct', 'SM'],
	['memory_throughput_pct', 'memory'],
	['dram_throughput_pct', 'DRAM'],
	['occupancy_pct', 'occupancy'],
];
const STALLS = 3;

// "SM 72.0%, memory 38.3%", then the most frequent stall reasons: "long_scoreboard 70.0%".
export const figuresText = (p) =>
	FIGURES.filter(([key]) => p[key] !== null)
		.map(([key, label]) => `${label} ${shareOfPercent(p[key])}`)
		.join(', ');
export const stallsText = (p, most = STALLS) =>
	p.stalls
		.slice(0, most)
		.map(({reason, pct}) => `${reason} ${shareOfPercent(pct)}`)
		.join(', ');

const textOf = (p, most) => [figuresText(p), stallsText(p, most)].filter(Boolean).join('; stalls: ');

// A column next to S; none if no row has a kernel profile.
export const profileColumns = (rows) =>
	rows.some((r) => r.kernel_profiles?.length)
		? [
				{
					label: 'Nsight Compute',
					class: 'two-lines',
					cell: (r) => (r.kernel_profiles?.length ? textOf(r.kernel_profiles[0], 1) || f.NONE : f.NONE),
					title: (r) =>
						r.kernel_profiles?.length
							? r.kernel_profiles.map((p) => `${p.name}: ${textOf(p)}`).join('\n')
							: 'no kernel profile has a grid and block of this shape only',
				},
			]
		: [];

// The profiles of a kernel, each with its grid and block and the advice about its stalls; null
// without any.
export function profileList(items) {
	return items?.length
		? h(
				'ul',
				{class: 'plain-list'},
				items.map((p) =>
					h(
						'li',
						{},
						p.grid ? `grid ${f.dims(p.grid)}, block ${f.dims(p.block)}: ` : '',
						figuresText(p) || 'no throughput was recorded',
						p.shape ? `; ${p.operator} ${p.shape}` : '',
						p.stalls.length
							? h(
									'ul',
									{class: 'plain-list quiet'},
									p.stalls
										.slice(0, STALLS)
										.map(({reason, pct, text, advice}) =>
											h('li', {}, `${reason} ${shareOfPercent(pct)}: ${text} ${advice}`.trim()),
										),
								)
							: null,
					),
				),
			)
		: null;
}
