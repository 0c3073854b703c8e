/* derived_cycle.h - what the row of a run says of its cycles. */
#pragma once
#include "profile.h"
#include "sha256.h"

/* Median duration of the kept ones that tell theirs; NaN of none. */
double derived_cycle_ns(const struct cycles *cs);
/* A hash over what runs that repeat each other have in common, beside what
 * people say of them. False where there is nothing to repeat. */
bool derived_repeat_key(const struct profile *p, uint32_t ordinal,
	uint8_t key[SHA256_BYTES]);
