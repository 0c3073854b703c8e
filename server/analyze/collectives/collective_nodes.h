/* collective_nodes.h - on how many nodes the ranks of a collective are, as far as
 * the trace of one rank shows it.
 *
 * A trace lists the devices of its own host only. Two rules are used, and nothing
 * is concluded where they do not apply:
 *
 *  - A job with no more ranks than the host has devices runs on one node, because
 *    launchers fill a node before they use another. A job that does not is found
 *    only in the traces of those ranks whose device has another number.
 *  - A job with a multiple of them fills its nodes one after the other, as torchrun,
 *    mpirun and Slurm number ranks: with 8 devices, ranks 8 to 15 are on the second
 *    node. This needs a complete list: as many devices as the platform links. A
 *    process may see only a part of them (CUDA_VISIBLE_DEVICES).
 *
 * If rank r does not use device r modulo the number of devices, neither rule
 * applies. The hosts of a job's ranks, where they are recorded, are the better
 * source; ranks.c uses them. */
#pragma once
#include "cost.h"
#include "patterns.h"

/* The rank that recorded the call. */
struct collective_host {
	int64_t rank, world_size; /* -1 unknown */
	int64_t device; /* the number of the device that it used; -1 unknown */
	int64_t devices; /* that its host lists */
	const struct platform *platform; /* of them; NULL unknown */
};

/* 0 if unknown, with *why. */
int64_t collective_nodes(const struct collective_call *c,
	const struct collective_host *host, const char **why);
