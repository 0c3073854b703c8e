/* catalog_params.h - parameters whose values the catalog defines: platform, type, phase. A
 * wrong value is refused with a list of the right ones. */
#pragma once
#include "catalog.h"
#include "iterations.h"
#include "call.h"

/* NULL if it is not given. */
bool catalog_params_platform(const struct call *c, const char *param,
	const struct catalog *catalog, const struct platform **out,
	struct err *e);
/* `dtype`; DTYPE_UNKNOWN if it is not given. */
bool catalog_params_dtype(const struct call *c, enum dtype *out, struct err *e);
/* `phase` as runs have it, which "both" is not; PHASE_UNKNOWN if it is not
 * given. */
bool catalog_params_run_phase(const struct call *c, enum phase *out,
	struct err *e);
