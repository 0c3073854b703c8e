/* derived_kernel.c - what ran on the GPU: a line per kernel, and per copy. */
#include "derived_table.h"

/* Only a split by device names one. */
static void write_device(struct bulk *b, enum split split, int32_t device)
{
	if (split == SPLIT_DEVICE)
		bulk_int4(b, device);
	else
		bulk_null(b);
}

static void write_kernels(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->stats_n; i++, rank++) {
		const struct kernel_stat *s = &p->stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 13 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_int8(b, run->kernels[s->kernel]);
		write_device(b, s->split, s->device);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->grid[d]);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->block[d]);
		derived_time(b, &s->time);
		bulk_float8_known(b, s->time_pct);
		bulk_text(b, s->told_source);
	}
}

const struct derived_table derived_kernel = {
	"COPY run_kernel (run_id, split, rank, kernel_id, device, grid_x, "
	"grid_y, grid_z, block_x, block_y, block_z, " TIME_COLUMNS
	", time_pct, told_source) FROM STDIN (FORMAT binary)",
	write_kernels,
};

static void write_copies(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->copy_stats_n; i++, rank++) {
		const struct copy_stat *s = &p->copy_stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 8 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_text(b, s->operation);
		write_device(b, s->split, s->device);
		derived_time(b, &s->time);
		bulk_float8_known(b, s->time_pct);
		bulk_int8(b, s->bytes);
		bulk_int8(b, s->sized);
	}
}

const struct derived_table derived_copy = {
	"COPY run_copy (run_id, split, rank, operation, device, " TIME_COLUMNS
	", time_pct, bytes, sized) FROM STDIN (FORMAT binary)",
	write_copies,
};
