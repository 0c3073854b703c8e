/* calibrate.h - measures the rates that a GPU reaches: matrix products per
 * dtype, copies and a = b + s * c in its memory, all-reduces over all GPUs of
 * its kind.
 *
 * A rate is the best of several batches of equal calls, timed by events on the
 * GPU. The clocks are means of what NVML reported during the best batch. */
#pragma once
#include "err.h"
#include <stdbool.h>

struct calibrate_row {
	const char *measurement, *unit; /* as in POST /ceilings */
	const char *dtype; /* of a gemm; otherwise NULL */
	double value; /* per second */
	char method[160];
	int devices;
	int sm_clock_mhz, memory_clock_mhz; /* -1 unknown */
};

/* Why a row is missing or lacks something. */
struct calibrate_message {
	bool failed; /* false: the device or the machine cannot do it */
	char text[300];
};

enum { CALIBRATE_ROWS = 16 };

struct calibrate_result {
	char device[256], driver[81], cuda[24]; /* "" unknown */
	struct calibrate_row rows[CALIBRATE_ROWS];
	struct calibrate_message messages[CALIBRATE_ROWS];
	int rows_n, messages_n;
	bool failed; /* a message says so */
};

/* Measures on the GPU with this index. Returns false with a sentence if nothing
 * can be measured. */
bool calibrate_run(int device, struct calibrate_result *out, struct err *e);
