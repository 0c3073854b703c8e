/* kineto.h - Kineto and Chrome trace JSON becomes a trace.
 *
 * CUDA and ROCm, the category names of 2020 to today, an object with a list
 * `traceEvents` or the bare list, one process or several fused into one file.
 * Events are read one at a time from a window over the text. One that cannot
 * be read is read again with more patience (repair.h), then skipped and
 * counted; reading goes on at the next that looks like one (resync.h). How
 * much is read twice is bounded, so that no text costs more than a few times
 * its length.
 *
 * Two lists in one file are both read; of a key that occurs twice in an event
 * the last counts. */
#pragma once
#include "format.h"
