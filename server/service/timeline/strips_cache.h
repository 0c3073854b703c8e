/* strips_cache.h - the strips of the runs whose timelines are being looked at.
 *
 * A page that zooms requests one window after the other. Decoding the capture
 * takes about a second per million launches; a window of its strips takes
 * milliseconds. So the strips of a run are kept for STRIPS_CACHE_S seconds after
 * the last request. All runs together take at most STRIPS_CACHE_BYTES, or one run
 * that is larger, and those that are read; the run that was requested longest ago
 * is dropped first. A run whose capture was rewritten is decoded again.
 *
 * The lock protects the list and the number of readers of each entry; no other
 * lock is taken under it. */
#pragma once
#include "service.h"
#include "strips.h"

enum { STRIPS_CACHE_S = 600, STRIPS_CACHE_BYTES = 256 << 20 };

struct strips_cache_entry;

struct strips_cache *strips_cache_new(void);
void strips_cache_free(struct strips_cache *h);
/* Frees what was not requested for STRIPS_CACHE_S. Every request calls this, so
 * that the memory is freed although no timeline is requested again. */
void strips_cache_expire(struct strips_cache *h);

/* The strips of a run, valid until strips_cache_return(). The caller has been
 * admitted (api/routing/concurrency_limit.h), because a capture may be decoded.
 * Returns NULL with *e if the run has no capture, or if it cannot be read. */
struct strips_cache_entry *strips_cache_take(struct service_call *c,
	int64_t run, struct err *e);
const struct strips *strips_cache_strips(const struct strips_cache_entry *h);
void strips_cache_return(struct service_call *c, struct strips_cache_entry *h);
