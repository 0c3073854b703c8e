/* cost.h - the work that an operator must do (W in floating-point operations
 * per type, Q in bytes) and the peaks of a platform.
 *
 * P is a platform's peak for a type, B its bandwidth. A collective has neither W
 * nor Q; its T_SOL is described below.
 *
 *   T_SOL = max(sum over types of W/P, Q/B)   time at the speed of light
 *   S     = T_SOL / measured time
 *   AI    = W/Q                               arithmetic intensity
 *
 * Source: definitions of Atrex-Bench's roofline (Apache-2.0). */
#pragma once
#include "arena.h"
#include "shape.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* What a collective moves over the links between devices, and how fast these
 * links are:
 *
 *   bus bytes = bytes · factor(kind, ranks)   what nccl-tests' bus bandwidth counts
 *   T_SOL     = bus bytes / peak
 *
 * model/collective.def lists the factors. The peak is what one rank can send:
 *
 *   inside a node, through a switch   all links of a device, whatever the group
 *   inside a node, each device linked to each other
 *                                     the links to the other ranks of the group
 *   between nodes, one rank on each   the network adapter of one device
 *   between nodes, several on each    those of all its ranks on a node, because a
 *                                     ring crosses to the next node once; at most
 *                                     the links inside a node
 *
 * What cannot be known has no peak: nothing is guessed. */
enum collective_kind {
	COLLECTIVE_UNKNOWN,
#define COLLECTIVE(code, word, elements, busbw, what) COLLECTIVE_##code,
#include "collective.def"
#undef COLLECTIVE
	COLLECTIVE_KINDS
};

/* How the devices of a node are linked. */
enum link_topology {
	LINK_SWITCH, /* all through switches */
	LINK_MESH, /* each to each, by equal links */
	LINK_PARTIAL, /* otherwise: what a part of them can send depends on
		which */
	LINK_TOPOLOGIES
};

struct link_use {
	enum collective_kind kind; /* COLLECTIVE_UNKNOWN: no link is used */
	int64_t bytes; /* as nccl-tests count them */
	int64_t ranks; /* of its group */
	int64_t nodes; /* that its ranks are on, equally many on each */
};

enum link_fault {
	LINK_KNOWN,
	LINK_ALONE, /* one rank moves nothing */
	LINK_NO_FACTOR,
	LINK_NO_PEAK, /* of the link inside a node */
	LINK_NO_NETWORK, /* no peak of the link between nodes */
	LINK_NOT_MEASURED, /* the peak is that of all-reduces */
	LINK_BEYOND, /* more ranks than linked devices */
	LINK_PART, /* LINK_PARTIAL, and not all devices of a node */
	LINK_PAIR, /* between two ranks of more */
	LINK_STAYS /* only a part of it leaves the nodes */
};

/* PHYSICAL: the work that the operator must do. CATALOG: the work that the
 * imported reference set counts, including its artifacts (spare KV pool, whole
 * cache blocks, …). */
enum convention { CONVENTION_PHYSICAL, CONVENTION_CATALOG };

struct cost {
	uint64_t flops[DTYPES]; /* 0 if there are none */
	uint64_t read_bytes, write_bytes;
	struct link_use link; /* of a collective, which has nothing else */
};

struct platform {
	const char *name; /* "H20" */
	const char *vendor; /* "NVIDIA" */
	const char *source; /* of its peaks and bandwidth */
	double peak_flops[DTYPES]; /* per second; NaN unknown */
	/* The SM clock that each of these peaks assumes; NaN unknown. Peaks of
	 * tensor cores and of other units may assume different clocks. */
	double peak_clock_mhz[DTYPES];
	const char *peak_clock_source; /* of these clocks, or why they are
		unknown; NULL */
	int64_t compute_units; /* SMs or CUs; -1 unknown */
	double bytes_per_s;
	/* What one device can send to the others of its node, and to other
	 * nodes, in one direction; NaN unknown. */
	double link_bytes_per_s, network_bytes_per_s;
	enum link_topology link_topology;
	int64_t link_devices; /* that are linked to each other; 0 unknown */
	bool link_of_all_reduce; /* link_bytes_per_s was measured with
		all-reduces. Others may reach less: a switch can add up */
	/* Whether the links connect the devices of several hosts. */
	bool link_across_hosts;
	const char *link_source; /* of these; NULL unknown */
	/* A call that is shorter than this has no headroom, because most of its
	 * time is the launch. -1 unknown. */
	int64_t launch_floor_ns;
	bool own; /* added by this installation */
};

/* A platform of which only the name is known. Every other platform starts as
 * this one, so that a figure that its source lacks is unknown, not 0. */
static inline struct platform platform_unknown(const char *name)
{
	struct platform p = { .name = name,
		.compute_units = -1,
		.bytes_per_s = (double)NAN,
		.link_bytes_per_s = (double)NAN,
		.network_bytes_per_s = (double)NAN,
		.launch_floor_ns = -1 };

	for (int d = 0; d < DTYPES; d++)
		p.peak_flops[d] = p.peak_clock_mhz[d] = (double)NAN;
	return p;
}

enum leg { LEG_NONE, LEG_COMPUTE, LEG_MEMORY, LEG_LINK };

struct bound {
	double sol_s; /* seconds; NaN if a required peak is unknown */
	/* Its two terms in seconds: the sum over types of W/P, and Q/B. NaN if
	 * sol_s is unknown; 0 of a collective. */
	double compute_s, memory_s;
	double ai; /* flops per byte; NaN if Q is 0 */
	enum leg leg; /* the longer of compute time and memory time; the link */
	enum dtype lacking; /* if sol_s is NaN: the type without a peak */
	enum link_fault link; /* if sol_s is NaN: what is unknown of the link */
};

/* The bus bandwidth of a kind over its algorithm bandwidth; NaN if it has
 * none. An all-to-all has it only if its parts are equal, which the caller
 * knows. */
double link_factor(enum collective_kind kind, int64_t ranks);
/* The bus bytes; NaN unknown, 0 if no link is used. */
double link_bus_bytes(const struct link_use *u);
/* Sets the peak in bytes per second, to NaN if the result is a fault. */
enum link_fault link_peak(const struct platform *p, const struct link_use *u,
	double *bytes_per_s);
/* The fault as a sentence; NULL for LINK_KNOWN. */
const char *link_fault_text(enum link_fault fault, const struct platform *p,
	const struct link_use *u, struct arena *a);

/* The size class of a call: n if the work that bounds it is in [2^n, 2^(n+1)):
 * W if the leg is compute, Q if it is memory, bus bytes if it is the link. Calls
 * of one class take at most twice as long as each other at equal efficiency, so
 * what one of them reaches the others can reach, too. Small calls never do. -1
 * without a bound. */
static inline int cost_size_class(const struct cost *c, enum leg leg)
{
	double work = leg == LEG_LINK
			      ? link_bus_bytes(&c->link)
			      : (double)c->read_bytes + (double)c->write_bytes;

	if (leg == LEG_COMPUTE) {
		work = 0;
		for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
			work += dtype_counts(d) ? (double)c->flops[d] : 0;
	}
	return leg == LEG_NONE || !(work >= 1) ? -1 : ilogb(work);
}
