/* measured_ceilings.c - reads the stored documents; computes bounds by measured
 * rates. */
#include "measured_ceilings.h"
#include "roofline.h"
#include <math.h>

static void measured_ceilings_one(struct arena *a, const struct catalog *c,
	struct measured_ceilings *out)
{
	struct err why = { 0 };

	out->platform = catalog_platform(c, out->row.platform);
	if (!ceilings_read(out->row.document, a, &out->is, &why)) {
		out->is = (struct ceilings){ 0 };
		out->fault = arena_strdup(a, why.text);
	}
	out->rates = ceilings_as_platform(&out->is, out->platform);
}

bool measured_ceilings_read(struct db *db, struct arena *a,
	const struct catalog *c, const char *platform,
	struct measured_ceilings **rows, uint32_t *n, struct err *e)
{
	struct platform_ceilings_row *stored;

	if (!platform_ceilings_list(db, a, platform, &stored, n, e))
		return false;
	*rows = arena_array(a, struct measured_ceilings, *n);
	for (uint32_t i = 0; i < *n; i++) {
		(*rows)[i].row = stored[i];
		measured_ceilings_one(a, c, &(*rows)[i]);
	}
	return true;
}

const char *measured_ceilings_note(const struct ceiling *r,
	const struct platform *p, struct arena *a)
{
	double peak = ceiling_peak(r, p);

	if (!(r->value > peak))
		return NULL;
	if (r->kind == CEILING_ALL_REDUCE)
		return arena_printf(a,
			"%.1f %% above the link's peak: a switch that reduces "
			"sends less than the bus bandwidth assumes, the link "
			"is not the one of the data sheet, or the measurement "
			"is wrong",
			100 * (r->value / peak - 1));
	return arena_printf(a,
		"%.1f %% above the data sheet's peak: the device is not the "
		"one of the data sheet, its clocks are higher, or the "
		"measurement is wrong",
		100 * (r->value / peak - 1));
}

void measured_ceilings_at_clock(struct measured_ceilings *m, double mhz)
{
	struct platform scaled;

	roofline_at_clock(&m->rates, mhz, &scaled);
	m->rates = scaled;
}

double measured_ceilings_sol_ns(const struct shape_stat *s,
	const struct platform *by)
{
	struct bound b = { .sol_s = NAN };

	if (by && s->costed)
		roofline(&s->cost, by, &b);
	return 1e9 * b.sol_s;
}

void measured_ceilings_add(struct measured_sum *sum, const struct shape_stat *s,
	const struct platform *by)
{
	double sol_ns =
		measured_ceilings_sol_ns(s, by) * (double)s->call.instances;

	if (isnan(sol_ns))
		return;
	sum->sol_ns += sol_ns;
	sum->bound_ns += s->call.total_ns;
	if (sol_ns > (double)s->call.total_ns)
		sum->over_ns += s->call.total_ns;
	else if (s->call.avg_ns > (double)by->launch_floor_ns)
		sum->headroom_ns += (double)s->call.total_ns - sol_ns;
}
