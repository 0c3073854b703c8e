/* calibration.h - a calibration in progress; private to this folder. */
#pragma once
#include "bench.h"
#include "calibrate.h"

struct calibration {
	struct gpu_library lib;
	struct bench bench;
	struct calibrate_result *out;
	int devices; /* that CUDA shows */
};

/* Adds a message; `failed`: a measurement failed, otherwise the device or the
 * machine cannot do it. */
void calibration_say(struct calibration *c, bool failed, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds a row with what all rows have. */
struct calibrate_row *calibration_row_new(struct calibration *c,
	const char *measurement, const char *unit, double value,
	const struct bench_clocks *clocks);

/* Each adds its rows, or messages about those that are missing. */
void gemm_rates_measure(struct calibration *c);
void link_rates_measure(struct calibration *c);
