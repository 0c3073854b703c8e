/* gate_needed.h - how far a difference of levels may be off, and how many units of
 * the head would decide. */
#pragma once
#include <stdint.h>

/* Variances: of a unit's value; of what a group of group_units units has in common
 * beyond that, as head and groups of the base do; 0: nothing. */
struct gate_spread {
	double unit, group, df;
	uint32_t group_units;
};

/* The variance of the head's level of so many units less the base's; of the head's
 * alone where base is 0. */
double gate_spread_of(const struct gate_spread *s, uint32_t head,
	uint32_t base);

/* Units of the head, in all, with which a head that is above the limit by now would
 * be either shown to be higher or be below it, with a probability of 0.8: the
 * level of more units is expected about the level of those there are. At least 2;
 * -1 where a thousand would not do. */
int32_t gate_needed(const struct gate_spread *s, uint32_t head, uint32_t base,
	double delta, double limit, double alpha);
