/* figure.h - a printed quantity: "1,234,567", "4.122 s", "64.4 μs", "41.5%".
 *
 * Read by its digits, so that nothing is lost except what the printer rounded
 * away. Groups of thousands must be whole, a decimal point occurs once, a sign
 * never: a text that is not certainly a number is rejected. */
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

/* Whether all of the text is a quantity, white space around it left out. */
bool figure_read(const char *s, size_t len, struct figure *f);

/* The unit a text names, white space around it left out. False where it names
 * none; no text is FIGURE_PLAIN. */
bool figure_unit(const char *s, size_t len, enum figure_unit *unit);

/* The power of ten that makes nanoseconds of a unit of time; 0 of others. */
int figure_ns_power(enum figure_unit unit);

/* The value times 10^power as a whole number, rounded half up; false where
 * that is more than INT64_MAX. */
bool figure_whole(const struct figure *f, int power, int64_t *value);

/* The same as the nearest double. */
double figure_real(const struct figure *f, int power);
