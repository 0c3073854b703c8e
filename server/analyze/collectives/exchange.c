/* exchange.c - sums the bytes that the all-to-alls of a run exchanged with each
 * rank of a process group, from the split sizes of their records.
 *
 * A split size is a number of rows of the first dimension, as passed to
 * all_to_all_single, or of elements. So a part has elements · size / Σ sizes
 * elements. An empty list means that all parts are equal. */
#include "exchange.h"
#include "collective.h"
#include <string.h>

const char *exchange_fault_text(enum exchange_fault fault)
{
	static const char *const texts[] = {
#define EXCHANGE_FAULT(code, word, text) [EXCHANGE_##code] = (text),
#include "collective.def"
#undef EXCHANGE_FAULT
	};
	return texts[fault];
}

/* A group as its records state it. Hashed as bytes, so it must contain no
 * padding. Texts are interned, so their addresses identify them. */
struct exchange_key {
	int64_t handle, size;
	const char *group, *ranks;
};

struct exchanges_maker {
	const struct collective_calls *calls;
	struct profile *p;
	uint32_t cap;
	int64_t *parts[2]; /* sent, received; of one call */
};

/* Reads a list such as "[4, 0, 12]", which has n sizes or none, and moves *at
 * behind it. */
static enum exchange_fault exchange_list(const char **at, int64_t *sizes,
	uint32_t n, uint32_t *read)
{
	const char *p = *at;

	*read = 0;
	if (*p++ != '[')
		return EXCHANGE_DAMAGED;
	while (*p != ']') {
		int64_t size = 0;
		p += strspn(p, " ");
		if (!strncmp(p, "...", 3))
			return EXCHANGE_SHORTENED;
		if (*p < '0' || *p > '9')
			return EXCHANGE_DAMAGED;
		for (; *p >= '0' && *p <= '9'; p++)
			if (__builtin_mul_overflow(size, 10, &size) ||
				__builtin_add_overflow(size, *p - '0', &size))
				return EXCHANGE_DAMAGED;
		if (*read < n)
			sizes[*read] = size;
		++*read;
		p += strspn(p, " ");
		if (*p == ',' && p[1 + strspn(p + 1, " ")] != ']')
			p++;
		else if (*p != ']')
			return EXCHANGE_DAMAGED;
	}
	*at = p + 1;
	return *read == n || !*read ? EXCHANGE_FINE : EXCHANGE_LENGTH;
}

/* Makes bytes of the sizes. */
static enum exchange_fault exchange_bytes(int64_t *sizes, uint32_t n,
	int64_t elements, enum dtype dtype)
{
	int64_t sum = 0;

	if (elements < 0 || !dtype)
		return EXCHANGE_ELEMENTS;
	for (uint32_t i = 0; i < n; i++)
		if (__builtin_add_overflow(sum, sizes[i], &sum))
			return EXCHANGE_TOO_LARGE;
	if (sum ? elements % sum : elements)
		return EXCHANGE_SUM;
	for (uint32_t i = 0; i < n && sum; i++) {
		/* at most `elements`, so this does not overflow */
		sizes[i] = collective_bytes(sizes[i] * (elements / sum), dtype);
		if (sizes[i] < 0)
			return EXCHANGE_TOO_LARGE;
	}
	return EXCHANGE_FINE;
}

/* Reads one direction of a call. */
static enum exchange_fault exchange_direction(const char **at, int64_t *sizes,
	uint32_t n, int64_t elements, enum dtype dtype)
{
	uint32_t read;
	enum exchange_fault fault = exchange_list(at, sizes, n, &read);

	for (uint32_t i = 0; !fault && !read && i < n; i++)
		sizes[i] = 1;
	return fault ? fault : exchange_bytes(sizes, n, elements, dtype);
}

/* Sets m->parts to the bytes of a call. */
static enum exchange_fault exchange_parts(struct exchanges_maker *m,
	const struct collective_call *c, const struct collective_parts *of)
{
	const char *at = of->splits;
	uint32_t n = (uint32_t)c->group_size;

	if (c->group_size <= 0)
		return EXCHANGE_GROUP;
	if (c->group_size > EXCHANGE_PEERS_MAX)
		return EXCHANGE_GROUP_LARGE;
	if (of->several)
		return EXCHANGE_SEVERAL;
	if (!at)
		return EXCHANGE_NOT_RECORDED;
	enum exchange_fault fault = exchange_direction(&at, m->parts[0], n,
		of->in_elements, c->dtype);
	if (fault)
		return fault;
	if (*at++ != ' ')
		return EXCHANGE_DAMAGED;
	fault = exchange_direction(&at, m->parts[1], n, of->out_elements,
		c->dtype);
	return !fault && *at ? EXCHANGE_DAMAGED : fault;
}

/* Adds the bytes of a call; all of them or, if a sum is too large, none. */
static enum exchange_fault exchange_sum(const struct exchanges_maker *m,
	struct peer_exchange *x)
{
	int64_t *const sums[2] = { x->sent, x->received };
	int64_t sum;

	for (int d = 0; d < 2; d++)
		for (uint32_t i = 0; i < x->peers; i++)
			if (__builtin_add_overflow(sums[d][i], m->parts[d][i],
				    &sum))
				return EXCHANGE_TOO_LARGE;
	for (int d = 0; d < 2; d++)
		for (uint32_t i = 0; i < x->peers; i++)
			sums[d][i] += m->parts[d][i];
	return EXCHANGE_FINE;
}

/* Faults by which a record contradicts itself. */
static bool exchange_contradicts(enum exchange_fault fault)
{
	return fault == EXCHANGE_DAMAGED || fault == EXCHANGE_LENGTH ||
	       fault == EXCHANGE_SUM || fault == EXCHANGE_TOO_LARGE;
}

/* Adds a call to its group. False if the arena is full. */
static bool exchange_add(struct exchanges_maker *m, struct peer_exchange *x,
	const struct collective_call *c, const struct collective_parts *of)
{
	struct profile *p = m->p;
	enum exchange_fault fault = exchange_parts(m, c, of);

	if (!fault && !x->sent) {
		if (x - p->exchanges.rows >= EXCHANGES_MAX) {
			fault = EXCHANGE_MANY;
		} else {
			x->peers = (uint32_t)c->group_size;
			x->sent = arena_array(p->arena, int64_t, x->peers);
			x->received = arena_array(p->arena, int64_t, x->peers);
			if (!x->sent || !x->received)
				return false;
		}
	}
	if (!fault)
		fault = exchange_sum(m, x);
	x->calls++;
	x->known += !fault;
	if (fault && !x->fault)
		x->fault = fault;
	if (exchange_contradicts(fault)) {
		const char *detail = of->splits ? of->splits : "";
		note_add(&p->notes, NOTE_split_sizes, 1, detail,
			strlen(detail));
	}
	return true;
}

/* The group of a call; NULL if the arena is full. */
static struct peer_exchange *exchange_of(struct exchanges_maker *m,
	struct names *keys, const struct collective_call *c, uint32_t line)
{
	struct exchanges *to = &m->p->exchanges;
	struct exchange_key key = { c->group_handle, c->group_size, c->group,
		c->ranks };
	uint32_t id = names_put(keys, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return NULL;
	if (id <= to->n)
		return &to->rows[id - 1];
	if (to->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 16;
		void *grown = arena_grow(m->p->arena, to->rows,
			(size_t)cap * sizeof *to->rows);
		if (!grown)
			return NULL;
		to->rows = grown;
		m->cap = cap;
	}
	to->rows[to->n] = (struct peer_exchange){ .line = line };
	return &to->rows[to->n++];
}

bool exchanges_from(const struct collective_calls *calls, const uint32_t *line,
	uint32_t launches, struct profile *p)
{
	struct exchanges_maker m = { .calls = calls, .p = p };
	struct names keys;

	p->exchanges = (struct exchanges){ 0 };
	for (int d = 0; d < 2; d++)
		m.parts[d] = arena_array(p->arena, int64_t, EXCHANGE_PEERS_MAX);
	if (!m.parts[0] || !m.parts[1] || !names_init(&keys, p->arena))
		return false;
	for (uint32_t i = 0; i < launches; i++) {
		const struct collective_call *c = collective_calls_at(calls, i);
		if (!c || c->kind != COLLECTIVE_ALL_TO_ALL ||
			(!c->group && c->group_handle < 0))
			continue;
		struct peer_exchange *x = exchange_of(&m, &keys, c, line[i]);
		if (!x || !exchange_add(&m, x, c,
				  &calls->parts[calls->of[i] - 1]))
			return false;
	}
	return true;
}
