/* votes.h - whose calls launched the events of a GPU pid. */
#pragma once
#include "trace.h"

/* For each GPU pid without a process (NOBODY, UINT16_MAX, in gpu[]) that of
 * more than half of its launched events, counting those whose correlation
 * occurs in one process only. `host` gives the process of a call's pid. False
 * where the arena is full. */
bool votes_count(struct trace *t, const uint16_t *host, uint32_t pids,
	uint16_t *gpu);
