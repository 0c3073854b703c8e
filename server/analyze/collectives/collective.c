/* collective.c - looks up the kinds of collective.def, and computes sizes. */
#include "collective.h"
#include <math.h>
#include <string.h>

enum collective_size { SIZE_NONE, SIZE_IN, SIZE_OUT, SIZE_ALL };

static const struct {
	const char *word;
	enum collective_size size;
} collective_kinds[COLLECTIVE_KINDS] = {
#define COLLECTIVE(code, word, elements, busbw, what) \
	[COLLECTIVE_##code] = { #word, SIZE_##elements },
#include "collective.def"
#undef COLLECTIVE
};

const char *collective_word(enum collective_kind kind)
{
	return collective_kinds[kind].word;
}

/* Whether a name contains a word, where upper case equals lower case and the
 * name's '_' and '-' do not count. */
static bool collective_contains(const char *name, const char *word)
{
	for (; *name; name++) {
		const char *n = name, *w = word;
		while (*w && (*n == '_' || *n == '-' || (*n | 0x20) == *w)) {
			w += *n != '_' && *n != '-';
			n++;
		}
		if (!*w)
			return true;
	}
	return false;
}

enum collective_kind collective_kind_of(const char *name)
{
	static const struct {
		const char *word;
		enum collective_kind kind;
	} words[] = {
#define COLLECTIVE_WORD(word, code) { word, COLLECTIVE_##code },
#include "collective.def"
#undef COLLECTIVE_WORD
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (collective_contains(name, words[i].word))
			return words[i].kind;
	return COLLECTIVE_UNKNOWN;
}

/* The elements of all ranks; -1 unknown. */
static int64_t collective_of_all(int64_t one, int64_t ranks)
{
	int64_t all;
	return one < 0 || ranks < 0 || __builtin_mul_overflow(one, ranks, &all)
		       ? -1
		       : all;
}

int64_t collective_elements(enum collective_kind kind, int64_t in, int64_t out,
	int64_t ranks)
{
	switch (collective_kinds[kind].size) {
	case SIZE_IN:
		if (in < 0 && kind == COLLECTIVE_REDUCE_SCATTER)
			return collective_of_all(out, ranks);
		return in < 0 ? out : in;
	case SIZE_OUT:
		return out < 0 ? collective_of_all(in, ranks) : out;
	case SIZE_ALL:
		return out < 0 ? in : collective_of_all(out, ranks);
	default:
		return -1;
	}
}

int64_t collective_bytes(int64_t elements, enum dtype dtype)
{
	int64_t bits;
	if (elements < 0 || !dtype ||
		__builtin_mul_overflow(elements, dtype_bits(dtype), &bits))
		return -1;
	return bits / 8 + (bits % 8 != 0);
}

bool collective_is_uneven(const struct collective_call *c)
{
	return c->kind == COLLECTIVE_ALL_TO_ALL &&
	       c->split != COLLECTIVE_SPLIT_EVEN;
}

double collective_busbw_gb_s(const struct collective_call *c, int64_t calls,
	int64_t total_ns)
{
	if (c->bytes < 0 || total_ns <= 0 || collective_is_uneven(c))
		return NAN;
	/* Bytes per nanosecond are 10^9 bytes per second. */
	return (double)c->bytes * (double)calls / (double)total_ns *
	       link_factor(c->kind, c->group_size);
}

double collective_bus_bytes(const struct collective_call *c)
{
	double bytes = (double)c->bytes * collective_busbw_factor(c);

	return c->bytes >= 0 && bytes > 0 ? bytes : (double)NAN;
}

void collective_bus_sums(const struct collectives *cs,
	struct bus_sum sums[COLLECTIVE_KINDS])
{
	memset(sums, 0, COLLECTIVE_KINDS * sizeof *sums);
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct collective *c = &cs->rows[i];
		struct bus_sum *sum = &sums[c->call.kind];
		double bytes = collective_bus_bytes(&c->call);
		if (isnan(bytes))
			continue;
		sum->bytes += bytes * c->n;
		sum->calls += c->n;
		for (uint32_t k = 0; k < c->n; k++)
			sum->total_ns += c->dur_ns[k];
	}
}

bool collective_is_p2p(enum collective_kind kind)
{
	return kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECEIVE ||
	       kind == COLLECTIVE_SEND_RECEIVE;
}

enum collective_kind collective_kind_from(const char *word)
{
	for (enum collective_kind k = 1; k < COLLECTIVE_KINDS; k++)
		if (!strcmp(word, collective_kinds[k].word))
			return k;
	return COLLECTIVE_UNKNOWN;
}

const char *collective_bytes_reason(const struct collective_call *c)
{
	if (c->bytes >= 0)
		return NULL;
	if (c->elements < 0 && !c->kind)
		return "the kind of the collective is unknown";
	if (c->elements < 0)
		return c->group_size < 0
			       ? "the trace does not state its elements or ranks"
			       : "the trace does not state its elements";
	return c->dtype ? "its bytes exceed 64 bits"
			: "no operator states its element type";
}
