/* measured_ceilings.h - the measured ceilings of platforms, and the roofline
 * bound that they give.
 *
 * A measured ceiling is a rate that a calibration reached. It is usually below
 * the data sheet's peak, which no program may reach. */
#pragma once
#include "catalog.h"
#include "ceilings.h"
#include "platform_ceilings.h"
#include "query_operator.h"

struct measured_ceilings {
	struct platform_ceilings_row row;
	struct ceilings is; /* empty if there is a fault */
	const struct platform *platform; /* NULL: no longer in the catalog */
	struct platform rates; /* the ceilings as a platform */
	const char *fault; /* why the document cannot be read; NULL */
};

/* Reads the ceilings of a platform, or of all platforms (NULL), by name. */
bool measured_ceilings_read(struct db *db, struct arena *a,
	const struct catalog *c, const char *platform,
	struct measured_ceilings **rows, uint32_t *n, struct err *e);
/* Why a ceiling is unusual, as a sentence; NULL if it is not. */
const char *measured_ceilings_note(const struct ceiling *r,
	const struct platform *p, struct arena *a);

/* The compute ceilings of *m at another SM clock, each from the clock at which
 * it was measured; a ceiling without a recorded clock does not change. */
void measured_ceilings_at_clock(struct measured_ceilings *m, double mhz);

/* Sums over an operator's calls whose bound by the ceilings is known. */
struct measured_sum {
	double sol_ns;
	int64_t bound_ns; /* time of these calls */
	/* time above the bound: over the shapes with S of at most 1 whose mean
	 * call is longer than the launch floor */
	double headroom_ns;
	int64_t over_ns; /* time of the shapes with S above 1 */
};
void measured_ceilings_add(struct measured_sum *sum, const struct shape_stat *s,
	const struct platform *by);
/* The bound of a call by these rates; NaN if it is unknown or `by` is NULL. */
double measured_ceilings_sol_ns(const struct shape_stat *s,
	const struct platform *by);
