/* figure.h - a printed quantity: "1,234,567", "4.122 s", "64.4 μs", "41.5%".
 *
 * The value is read from its digits, so that only the rounding of the printer
 * is lost. Groups of thousands must have three digits. A decimal point may
 * occur once, and a sign is not allowed. A text that is not certainly a number
 * is rejected. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum figure_unit {
	FIGURE_PLAIN, /* none */
	FIGURE_PERCENT,
	FIGURE_NS,
	FIGURE_US,
	FIGURE_MS,
	FIGURE_S,
};

struct figure {
	uint64_t digits;
	int exponent; /* the value is digits * 10^exponent */
	enum figure_unit unit;
};

/* Whether the text, without white space around it, is a quantity. */
bool figure_read(const char *s, size_t len, struct figure *f);

/* The unit that a text names, without white space around it. An empty text is
 * FIGURE_PLAIN. False if the text names no unit. */
bool figure_unit(const char *s, size_t len, enum figure_unit *unit);

/* The power of ten that converts a unit of time to nanoseconds; 0 for other
 * units. */
int figure_ns_power(enum figure_unit unit);

/* The value times 10^power as a whole number, rounded half up; false if it
 * exceeds INT64_MAX. */
bool figure_whole(const struct figure *f, int power, int64_t *value);

/* The value times 10^power as the nearest double. */
double figure_real(const struct figure *f, int power);
