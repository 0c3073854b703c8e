/* exchange.h - the bytes that the all-to-alls of a run exchanged with each rank
 * of a process group. */
#pragma once
#include "collective_calls.h"

/* Sets p->exchanges. `line` is the index of each launch's line in
 * p->collectives. False if the arena is full. */
bool exchanges_from(const struct collective_calls *calls, const uint32_t *line,
	uint32_t launches, struct profile *p);
/* The sentence of a fault; NULL for EXCHANGE_FINE. */
const char *exchange_fault_text(enum exchange_fault fault);
