/* nsys_nvtx.h - what the readers of NVTX_EVENTS share. */
#pragma once
#include "nsys_payload.h"

/* One end of a range that the export did not pair up. */
struct nsys_half {
	int64_t owner; /* thread of a push or pop, else process */
	int64_t domain, range, at_ns;
	uint32_t place; /* in the table: decides where times are the same */
	uint32_t name, payload, thread;
	uint16_t process;
	bool loose, end; /* start/end, not push/pop; the later end */
};

struct nsys_nvtx {
	struct nsys *nsys;
	struct nsys_payload payload;
	struct names domains; /* 16 bytes each: process, domain */
	uint32_t *domain_names; /* by their id */
	uint32_t domain_cap;
	struct nsys_half *halves;
	uint32_t halves_n, halves_cap;
};

/* nsys_half.c: pairs them up and adds the ranges; what has no other end is
 * noted. */
bool nsys_half_add(struct nsys_nvtx *x, const struct nsys_half *h);
bool nsys_halves(struct nsys_nvtx *x, struct err *e);

/* nsys_range.c: adds a range to the trace; `domain` is an id of x->domains. A
 * name as PyTorch writes it gives its number to the row's id, its sizes to the
 * payload. */
bool nsys_range(struct nsys_nvtx *x, struct range_row *row, struct err *e);
