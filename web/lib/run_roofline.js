// run_roofline.js - the operators of a run as points of a roofline. Pure.

// The rate at which an operator computes and moves bytes, from its MFU and MBU: both are shares of
// the platform's peaks over all of its time, so the covered part of the time has the rest. An
// operator whose dtype has no peak has no point.
function pointOf(row, platform) {
	const peak = platform.peak_flops?.[row.dtype];
	if (!(row.mfu > 0) || !(row.mbu > 0) || !(row.utilization_covered > 0) || !(peak > 0)) return {};
	const flops = (row.mfu * peak) / row.utilization_covered;
	const bytes = (row.mbu * platform.bytes_per_s) / row.utilization_covered;
	return {ai: flops / bytes, flops};
}

// The document of rooflinePlot() for one run: its operators with their share of the GPU time.
export function rooflineDoc(doc) {
	const platform = doc.platform_peaks;
	return {
		platforms: [platform],
		items: doc.items.map((row) => {
			const {ai, flops} = pointOf(row, platform);
			return {
				// An operator has a row per dtype.
				operator: row.operator === null ? null : [row.operator, row.dtype].filter(Boolean).join(' '),
				dtype: row.dtype,
				ai: row.mfu === 0 ? 0 : (ai ?? null),
				attained_flops: {[platform.name]: flops ?? null},
				importance: row.time_pct === null ? null : row.time_pct / 100,
				regime: row.regime,
				s: row.s,
			};
		}),
	};
}
