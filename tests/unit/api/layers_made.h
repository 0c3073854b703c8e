/* layers_made.h - makes a breakdown of two blocks, one next to the other,
 * with launch groups, to test the layout of layers. Durations are in
 * microseconds. */
#pragma once
#include "query_breakdown.h"
#include <math.h>

/* A row that all ten instances have, with the `at` and `us` of each. */
static inline struct breakdown_row made_row(uint32_t block, uint32_t kernel,
	uint32_t lane, double at, double us)
{
	int64_t ns = (int64_t)(us * 1000);
	return (struct breakdown_row){ .block = block,
		.kernel = kernel,
		.lane = lane,
		.group = ROW_NO_GROUP,
		.instances = 10,
		.offset_ns = at * 1000,
		.time = { .instances = 10,
			.total_ns = 10 * ns,
			.avg_ns = (double)ns,
			.med_ns = (double)ns,
			.min_ns = ns,
			.max_ns = ns,
			.stddev_ns = 0,
			.p90_ns = (double)ns,
			.p99_ns = (double)ns,
			.iqr_ns = NAN } };
}

enum { MADE_ROWS = 8 };

static inline void made_rows(struct breakdown_row rows[MADE_ROWS])
{
	rows[0] = made_row(0, 0, 0, 0, 187);
	rows[0].roles = ROLE_BIT(DISPATCH);
	/* A product and its reduction are one call. */
	rows[1] = made_row(0, 1, 0, 190, 80);
	rows[1].module = "mlp.experts";
	rows[1].group = 3;
	rows[2] = made_row(0, 2, 0, 271, 1);
	rows[2].group = 3;
	rows[3] = made_row(0, ROW_NO_KERNEL, 0, 273, 8.5);
	rows[3].operation = "[CUDA memset]";
	rows[3].extra = true;
	rows[3].instances = 4;
	/* Combine continues while the shared expert works. */
	rows[4] = made_row(0, 3, 0, 300, 394);
	rows[4].roles = ROLE_BIT(COMBINE);
	rows[4].overlapped_ns = 50000;
	rows[5] = made_row(1, 4, 1, 310, 3);
	rows[5].roles = ROLE_BIT(GATE_UP) | ROLE_BIT(QUANTIZE);
	rows[5].overlapped_ns = 30000;
	rows[6] = made_row(1, 1, 1, 320, 17.062);
	rows[6].overlapped_ns = 20000;
	/* A group with the same number in another block is a separate group. */
	rows[7] = made_row(2, 2, 0, 0, 2);
	rows[7].group = 3;
}

static const struct breakdown_kernel made_kernels[] = {
	{ 1, "void deep_ep::dispatch<int>(int)", "dispatch", "dispatch" },
	{ 2, "gemm", "gemm", "gemm" },
	{ 3, "void splitKreduce_kernel<int>()", "splitKreduce_kernel",
		"splitKreduce_kernel" },
	{ 4, "combine", "combine", "combine" },
	{ -1, "quant|8", "quant|8", "quant|8" },
};

static struct breakdown_section made_sections[] = {
	{ .place = SECTION_LAYER,
		.name = "attention + moe",
		.instances = 10,
		.per_pass = 58,
		.first = 3,
		.time = { .instances = 10,
			.total_ns = 7000000,
			.avg_ns = 700000,
			.med_ns = 700000,
			.min_ns = 690000,
			.max_ns = 710000,
			.stddev_ns = 0,
			.p90_ns = (double)NAN,
			.p99_ns = (double)NAN,
			.iqr_ns = NAN },
		.similarity = 1,
		.work = { 1400000, 700000, 350000, 4000000, 3000000,
			1500000 } },
	{ .place = SECTION_AFTER, .instances = 10, .similarity = (double)NAN },
};

static struct breakdown_block made_blocks[] = {
	{ .section = 0,
		.kind = BLOCK_MOE,
		.parallel_to = UINT32_MAX,
		.sum_ns = 670500,
		.exclusive_ns = 6205000,
		.overlapped_ns = 500000 },
	{ .section = 0,
		.kind = BLOCK_SHARED,
		.parallel_to = 0,
		.sum_ns = 20062 },
	{ .section = 1,
		.kind = BLOCK_SAMPLING,
		.parallel_to = UINT32_MAX,
		.sum_ns = 2000 },
};

/* With one pass. */
static inline struct breakdown_stored made_layers(
	struct breakdown_row rows[MADE_ROWS])
{
	static struct breakdown_bar bar = { 3, 0, 670500 };
	made_rows(rows);
	return (struct breakdown_stored){
		.breakdown = { .detector = LAYERS_PERIOD,
			.confidence = 1,
			.anchor = "dispatch",
			.device = 0,
			.passes = 1,
			.pass = { .instances = 1,
				.total_ns = 96000000,
				.avg_ns = 96000000,
				.med_ns = 96000000,
				.min_ns = 96000000,
				.max_ns = 96000000,
				.stddev_ns = 0,
				.p90_ns = 96000000,
				.p99_ns = 96000000,
				.iqr_ns = NAN },
			.layers = 61,
			.layered = { .instances = 1,
				.total_ns = 87320000,
				.avg_ns = 87320000,
				.med_ns = 87320000,
				.min_ns = 87320000,
				.max_ns = 87320000,
				.stddev_ns = 0,
				.p90_ns = 87320000,
				.p99_ns = 87320000,
				.iqr_ns = NAN },
			.wall_ns = 96000000,
			.overlap_ns = 500000,
			.idle_ns = 95500000,
			.sections = made_sections,
			.blocks = made_blocks,
			.rows = rows,
			.bars = &bar,
			.sections_n = 2,
			.blocks_n = 3,
			.rows_n = MADE_ROWS,
			.bars_n = 1 },
		.kernels = (struct breakdown_kernel *)made_kernels,
		.kernels_n = 5,
	};
}
