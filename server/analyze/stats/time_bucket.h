/* time_bucket.h - sorts durations into buckets of 1/32 octave.
 *
 * Bucket b contains durations in [2^(b/32), 2^((b+1)/32)) ns; 0 ns is in bucket
 * -1. Only integers are used, so that the bucket is equal on every machine. */
#pragma once
#include <stdint.h>

/* The bucket of a duration >= 0. */
int16_t time_bucket(int64_t dur_ns);
