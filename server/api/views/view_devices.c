/* view_devices.c - GPUs over many runs as JSON and as a table. */
#include "slow_gpu.h"
#include "view_operators.h"
#include <math.h>

/* In percent, with four decimals: more digits are noise. */
static double view_devices_pct(double share)
{
	return round(share * 1e6) / 1e4;
}

static json_t *view_devices_operators(const struct gpu_fleet_row *r);

#define ROWS "devices.def"
#include "row_functions.h"

static json_t *view_devices_operators(const struct gpu_fleet_row *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->operators_n; i++)
		view_append(list, row_fleet_gpu_operator(&r->operators[i]));
	return list;
}

json_t *view_fleet_gpu(const struct gpu_fleet_row *r)
{
	return row_fleet_gpu(r);
}

static bool view_devices_shows(const struct gpu_fleet_row *r,
	enum slow_gpu_verdict verdict)
{
	return verdict == SLOW_GPU_VERDICTS || r->is.verdict == verdict;
}

json_t *view_devices(const struct gpu_fleet *f, enum slow_gpu_verdict verdict)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < f->n; i++)
		if (view_devices_shows(&f->rows[i], verdict))
			view_append(items, row_fleet_gpu(&f->rows[i]));
	return row_devices(f, items);
}

const struct table *view_devices_table(struct arena *a,
	const struct gpu_fleet *f, enum slow_gpu_verdict verdict)
{
	struct row_table *t = row_table_begin(a, "fleet_gpu", NULL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n; i++)
		n += view_devices_shows(&f->rows[i], verdict);
	row_table_rows(t, n);
	for (uint32_t i = 0; i < f->n; i++)
		if (view_devices_shows(&f->rows[i], verdict)) {
			row_fleet_gpu_cells(t, &f->rows[i]);
			row_table_next(t);
		}
	return &t->table;
}
