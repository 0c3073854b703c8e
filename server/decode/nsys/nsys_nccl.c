/* nsys_nccl.c - makes records of collective calls from the NVTX ranges that
 * NCCL itself writes.
 *
 * Since 2.26, each call of NCCL's API is a range in the domain "NCCL", whose
 * payload has named fields (src/include/nvtx_payload_schemas.h): the hash of the
 * communicator, which is equal on all of its ranks, and the bytes of the count
 * that was passed. That count is of one rank's input, except that
 * ncclReduceScatter and ncclScatter take the count of one rank's output, and
 * ncclAlltoAll the count for one peer. ncclCommInitRank and its variants have
 * the number of ranks; if they ran before the recording, it is unknown. */
#include "nsys.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Fields of the payload. */
#define NCCL_COMMUNICATOR "\"NCCL communicator ID\""
#define NCCL_RANKS "\"No. of ranks\""
#define NCCL_BYTES "\"Message size [bytes]\""

enum nsys_nccl_count { COUNT_IN, COUNT_OUT, COUNT_PEER };

struct nsys_nccl {
	struct trace *t;
	struct names keys; /* 16 bytes each: process, communicator */
	int64_t *ranks; /* by their id; -1 if it was stated differently */
	uint32_t cap;
};

/* The whole number of a field of a payload. False if the field is missing, is
 * not a whole number or exceeds 64 bits. */
static bool nsys_nccl_field(const char *payload, const char *name, uint64_t *v)
{
	const char *at = strstr(payload, name);

	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " :\"");
	*v = 0;
	size_t digits = strspn(at, "0123456789");
	if (!digits || at[digits] == '.' || at[digits] == 'x')
		return false;
	for (size_t i = 0; i < digits; i++)
		if (__builtin_mul_overflow(*v, UINT64_C(10), v) ||
			__builtin_add_overflow(*v, (uint64_t)(at[i] - '0'), v))
			return false;
	return true;
}

/* Makes room for the communicator of that id. */
static bool nsys_nccl_reserve(struct nsys_nccl *x, uint32_t id)
{
	if (id < x->cap)
		return true;
	uint32_t cap = id * 2 + 16;
	int64_t *grown = arena_grow(x->t->arena, x->ranks, cap * sizeof *grown);
	if (!grown)
		return false;
	memset(grown + x->cap, 0, (cap - x->cap) * sizeof *grown);
	x->ranks = grown;
	x->cap = cap;
	return true;
}

/* The id of a process's communicator; NAMES_NONE if the arena is full. */
static uint32_t nsys_nccl_key(struct nsys_nccl *x, uint16_t process,
	uint64_t communicator)
{
	const uint64_t key[2] = { process, communicator };
	uint32_t id = names_put(&x->keys, (const char *)key, sizeof key);

	return id == NAMES_NONE || !nsys_nccl_reserve(x, id) ? NAMES_NONE : id;
}

static const char *nsys_nccl_payload(const struct trace *t, uint32_t row)
{
	return t->range.payload[row]
		       ? names_text(&t->names, t->range.payload[row])
		       : "";
}

/* Stores the number of ranks that a range states. False if the arena is full. */
static bool nsys_nccl_take_ranks(struct nsys_nccl *x, uint32_t row)
{
	const char *payload = nsys_nccl_payload(x->t, row);
	uint64_t of, ranks;

	if (!nsys_nccl_field(payload, NCCL_COMMUNICATOR, &of) ||
		!nsys_nccl_field(payload, NCCL_RANKS, &ranks) || ranks < 1 ||
		ranks > INT32_MAX)
		return true;
	uint32_t id = nsys_nccl_key(x, x->t->range.process[row], of);
	if (id == NAMES_NONE)
		return false;
	int64_t *known = &x->ranks[id];
	*known = *known && *known != (int64_t)ranks ? -1 : (int64_t)ranks;
	return true;
}

static enum nsys_nccl_count nsys_nccl_count_of(const char *name)
{
	if (!strcmp(name, "ncclReduceScatter") || !strcmp(name, "ncclScatter"))
		return COUNT_OUT;
	return !strcasecmp(name, "ncclAlltoAll") ? COUNT_PEER : COUNT_IN;
}

/* Sets the bytes of this rank's input or output. */
static void nsys_nccl_set_bytes(struct comm_row *row, const char *name,
	uint64_t bytes)
{
	int64_t whole = bytes > INT64_MAX ? -1 : (int64_t)bytes;

	switch (nsys_nccl_count_of(name)) {
	case COUNT_OUT:
		row->out_bytes = whole;
		break;
	case COUNT_PEER:
		if (row->group_size < 0 || whole < 0 ||
			__builtin_mul_overflow(whole, row->group_size, &whole))
			whole = -1;
		/* fall through */
	default:
		row->in_bytes = whole;
	}
}

/* Adds the record of a call. False if the arena is full. */
static bool nsys_nccl_take_call(struct nsys_nccl *x, uint32_t row)
{
	const struct range_rows *r = &x->t->range;
	const char *payload = nsys_nccl_payload(x->t, row);
	uint64_t of, bytes;
	char group[24];

	if (!nsys_nccl_field(payload, NCCL_BYTES, &bytes) ||
		!nsys_nccl_field(payload, NCCL_COMMUNICATOR, &of))
		return true;
	uint32_t id = nsys_nccl_key(x, r->process[row], of);
	if (id == NAMES_NONE)
		return false;
	int len =
		snprintf(group, sizeof group, "0x%llx", (unsigned long long)of);
	struct comm_row call = { .process = r->process[row],
		.start_ns = r->start_ns[row],
		.dur_ns = r->dur_ns[row],
		.thread = r->thread[row],
		.correlation = -1,
		.external_id = -1,
		.name = r->name[row],
		.in_elements = -1,
		.out_elements = -1,
		/* Empty lists mean equal parts; NCCL's call has no other. */
		.splits = names_put(&x->t->names, "[] []", strlen("[] []")),
		.group = names_put(&x->t->names, group, (size_t)len),
		.group_handle = -1,
		.group_size = x->ranks[id] > 0 ? x->ranks[id] : -1,
		.sequence = -1,
		.in_bytes = -1,
		.out_bytes = -1 };
	nsys_nccl_set_bytes(&call, names_text(&x->t->names, call.name), bytes);
	return call.group != NAMES_NONE && call.splits != NAMES_NONE &&
	       trace_comm_add(x->t, &call);
}

bool nsys_nccl(struct nsys *n, struct err *e)
{
	struct trace *t = n->trace;
	struct nsys_nccl x = { .t = t };
	uint32_t domain = names_find(&t->names, "NCCL", strlen("NCCL"));
	bool ok = true;

	if (domain == NAMES_NONE)
		return true;
	if (!names_init(&x.keys, t->arena))
		return arena_err(t->arena, e);
	for (int calls = 0; ok && calls <= 1; calls++)
		for (uint32_t i = 0; ok && i < t->range.n; i++)
			if (t->range.domain[i] == domain)
				ok = calls ? nsys_nccl_take_call(&x, i)
					   : nsys_nccl_take_ranks(&x, i);
	arena_drop(t->arena, x.ranks);
	return ok || arena_err(t->arena, e);
}
