/* calibration.c - adds rows and messages to a result. */
#include "calibration.h"
#include <stdarg.h>
#include <stdio.h>

void calibration_say(struct calibration *c, bool failed, const char *fmt, ...)
{
	struct calibrate_result *r = c->out;
	va_list args;

	r->failed |= failed;
	if (r->messages_n == CALIBRATE_ROWS)
		return;
	r->messages[r->messages_n].failed = failed;
	va_start(args, fmt);
	vsnprintf(r->messages[r->messages_n++].text, sizeof r->messages[0].text,
		fmt, args);
	va_end(args);
}

struct calibrate_row *calibration_row_new(struct calibration *c,
	const char *measurement, const char *unit, double value,
	const struct bench_clocks *clocks)
{
	struct calibrate_row *r = &c->out->rows[c->out->rows_n++];

	*r = (struct calibrate_row){ .measurement = measurement,
		.unit = unit,
		.value = value,
		.devices = 1,
		.sm_clock_mhz = clocks->sm_mhz,
		.memory_clock_mhz = clocks->memory_mhz };
	return r;
}
