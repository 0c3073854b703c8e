/* collective.h - kinds, sizes, bandwidths and nodes of collective calls.
 *
 * The size of a call is counted as nccl-tests count it. With t the call's
 * duration and n the ranks of its group:
 *
 *   algbw = bytes / t
 *   busbw = algbw · factor(kind, n)
 *
 * model/collective.def lists the kinds and their factors. */
#pragma once
#include "cost.h"
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

/* ---- on how many nodes the ranks of a collective are, as far as the trace of one
 * rank shows it
 *
 * A trace lists the devices of its own host only. Two rules are used, and nothing
 * is concluded where they do not apply:
 *
 *  - A job with no more ranks than the host has devices runs on one node, because
 *    launchers fill a node before they use another.
 *  - A job with a multiple of them fills its nodes one after the other, as torchrun,
 *    mpirun and Slurm number ranks: with 8 devices, ranks 8 to 15 are on the second
 *    node. This needs a complete list: as many devices as the platform links. A
 *    process may see only a part of them (CUDA_VISIBLE_DEVICES).
 *
 * If rank r does not use device r modulo the number of devices, neither rule
 * applies. A rank on the first device, or on an unknown one, cannot show whether
 * nodes have one rank each: the rules are then an assumption, and the run has a
 * note (nodes_assumed). The hosts of a job's ranks, where they are recorded, are
 * the better source; ranks.c uses them. */

/* The rank that recorded the call. */
struct collective_host {
	int64_t rank, world_size; /* -1 unknown */
	int64_t device; /* the number of the device that it used; -1 unknown */
	int64_t devices; /* that its host lists */
	const struct platform *platform; /* of them; NULL unknown */
};

/* Whether the device of the rank shows that a node has several ranks. */
static inline bool collective_host_shows(const struct collective_host *h)
{
	return h->device > 0;
}

/* 0 if unknown, with *why. */
int64_t collective_nodes(const struct collective_call *c,
	const struct collective_host *host, const char **why);
