/* collective.h - kinds, sizes and bandwidths of collective calls.
 *
 * The size of a call is counted as nccl-tests count it. With t the call's
 * duration and n the ranks of its group:
 *
 *   algbw = bytes / t
 *   busbw = algbw · factor(kind, n)
 *
 * model/collective.def lists the kinds and their factors. */
#pragma once
#include "patterns.h"

/* "all_reduce"; NULL for COLLECTIVE_UNKNOWN. */
const char *collective_word(enum collective_kind kind);
/* The kind whose word a name of a call or a kernel contains. */
enum collective_kind collective_kind_of(const char *name);

/* The size of a call in elements, from the elements of one rank's input and
 * output and the number of ranks; -1 if what is needed is unknown or too
 * large. */
int64_t collective_elements(enum collective_kind kind, int64_t in, int64_t out,
	int64_t ranks);
/* Bytes of that many elements; -1 if the type is unknown or the product too
 * large. */
int64_t collective_bytes(int64_t elements, enum dtype dtype);
/* The bus bandwidth of calls that each have the size of `c`, in 10^9 bytes per
 * second; NaN unknown. */
double collective_busbw_gb_s(const struct collective_call *c, int64_t calls,
	int64_t total_ns);
/* What calls carry over the bus; NaN if the size or the factor is unknown, and
 * if nothing is carried, as in a group of one rank. */
double collective_bus_bytes(const struct collective_call *c);
/* Sums of a run's collectives, by kind. */
void collective_bus_sums(const struct collectives *cs,
	struct bus_sum sums[COLLECTIVE_KINDS]);
/* Whether a kind is one rank's send or receive, whose duration is mostly waiting
 * for the other rank. */
bool collective_is_p2p(enum collective_kind kind);
/* The kind of a word such as "all_reduce"; COLLECTIVE_UNKNOWN if there is none. */
enum collective_kind collective_kind_from(const char *word);

/* Whether it is an all-to-all whose parts are not known to be equal. It has no
 * bus bandwidth. */
bool collective_is_uneven(const struct collective_call *c);

/* Why the bytes of a call are unknown; NULL if they are known. */
const char *collective_bytes_reason(const struct collective_call *c);
