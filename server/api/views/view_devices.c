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

json_t *view_devices(const struct gpu_fleet *f,
	const struct gpu_fleet_row *rows, uint32_t n)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, row_fleet_gpu(&rows[i]));
	return row_devices(f, view_list(items, NULL));
}

const struct table *view_devices_table(struct arena *a,
	const struct gpu_fleet_row *rows, uint32_t n)
{
	struct row_table *t = row_table_begin(a, "fleet_gpu", NULL);
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_fleet_gpu_cells(t, &rows[i]);
		row_table_next(t);
	}
	return &t->table;
}
