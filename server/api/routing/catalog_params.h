/* catalog_params.h - parameters whose values the catalog defines: platform,
 * dtype, phase. A wrong value is rejected, and the error lists the allowed
 * values. */
#pragma once
#include "catalog.h"
#include "iterations.h"
#include "call.h"

/* Reads a platform; NULL if the parameter is not given. */
bool catalog_params_platform(const struct call *c, const char *param,
	const struct catalog *catalog, const struct platform **out,
	struct err *e);
/* Reads `dtype`; DTYPE_UNKNOWN if it is not given. */
bool catalog_params_dtype(const struct call *c, enum dtype *out, struct err *e);
/* Reads `phase` as one of the phases that a run can have; "both" is not one of
 * them. PHASE_UNKNOWN if the parameter is not given. */
bool catalog_params_run_phase(const struct call *c, enum phase *out,
	struct err *e);
