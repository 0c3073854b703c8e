/* time_bucket.h - durations in steps of the 32nd part of an octave.
 *
 * Bucket b holds [2^(b/32), 2^((b+1)/32)) ns; 0 ns is in bucket -1. Decided on
 * whole numbers alone, so that it is the same on every machine. */
#pragma once
#include <stdint.h>

/* Of a duration >= 0. */
int16_t time_bucket(int64_t dur_ns);
