/* collective.c - looks up the kinds of collective.def, computes sizes, and finds the
 * nodes of a group. */
#include "collective.h"
#include <math.h>
#include <stdlib.h>
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
	double bytes = (double)c->bytes * link_factor(c->kind, c->group_size);

	return c->bytes >= 0 && bytes > 0 && !collective_is_uneven(c)
		       ? bytes
		       : (double)NAN;
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

/* ---- reads the ranks of a group, and maps ranks to nodes */

/* Reads the next rank of "[0, 1, 2]"; -1 at the end, or if the list is cut
 * ("..."), as PyTorch cuts long ones. */
static int64_t collective_nodes_rank(const char **at)
{
	const char *p = *at + strcspn(*at, "0123456789.");
	char *end;

	if (*p < '0' || *p > '9')
		return -1;
	long long rank = strtoll(p, &end, 10);
	*at = end;
	return rank;
}

/* Ranks of a sorted list, counted node by node. */
struct collective_nodes_count {
	int64_t nodes, node; /* the last one */
	int64_t on, each; /* ranks on it, and on each node before */
	bool uneven;
};

static void collective_nodes_add(struct collective_nodes_count *k, int64_t node)
{
	if (k->nodes && node == k->node) {
		k->on++;
		return;
	}
	k->uneven |= k->nodes > 1 && k->on != k->each;
	k->each = k->on;
	k->node = node;
	k->nodes++;
	k->on = 1;
}

/* Counts the ranks of the list. False if it has more or fewer ranks than the
 * group, or one that the job does not have, or one twice. */
static bool collective_nodes_read(const struct collective_call *c,
	const struct collective_host *host, struct collective_nodes_count *k)
{
	const char *at = c->ranks;
	int64_t rank, before = -1, n = 0;

	while ((rank = collective_nodes_rank(&at)) >= 0) {
		/* PyTorch sorts them. */
		if (rank >= host->world_size || rank <= before)
			return false;
		before = rank;
		n++;
		collective_nodes_add(k, rank / host->devices);
	}
	k->uneven |= k->nodes > 1 && k->on != k->each;
	return n == c->group_size;
}

/* The nodes of a group that is only a part of a job on several. */
static int64_t collective_nodes_of_list(const struct collective_call *c,
	const struct collective_host *host, const char **why)
{
	struct collective_nodes_count k = { 0 };

	*why = "which ranks its group has is unknown";
	if (!c->ranks || !collective_nodes_read(c, host, &k))
		return 0;
	*why = k.uneven ? "its group has more ranks on one node than on another"
			: NULL;
	return k.uneven ? 0 : k.nodes;
}

/* Why neither rule applies; NULL if one does. */
static const char *collective_nodes_lack(const struct collective_call *c,
	const struct collective_host *host)
{
	int64_t all = host->devices;

	if (c->group_size < 1)
		return "its process group is unknown";
	if (host->world_size < c->group_size)
		return host->world_size < 0
			       ? "how many ranks the job has is unknown"
			       : "its group has more ranks than the job";
	if (all < 2)
		return "how many devices a node has is unknown";
	if (host->rank >= 0 && host->device >= 0 &&
		host->rank % all != host->device)
		return "its ranks are not numbered like the devices, so on which "
		       "nodes they are is unknown";
	if (host->world_size <= all)
		return NULL;
	if (!host->platform || all < host->platform->link_devices ||
		!host->platform->link_devices)
		return "its host may have more devices than the trace lists, so "
		       "on which nodes its ranks are is unknown";
	if (host->world_size % all)
		return "the ranks of the job do not fill its nodes, so on which "
		       "nodes they are is unknown";
	return NULL;
}

int64_t collective_nodes(const struct collective_call *c,
	const struct collective_host *host, const char **why)
{
	*why = c->group_size == 1 ? NULL : collective_nodes_lack(c, host);
	if (*why)
		return 0;
	if (c->group_size == 1 || host->world_size <= host->devices)
		return 1;
	if (c->group_size == host->world_size)
		return host->world_size / host->devices;
	return collective_nodes_of_list(c, host, why);
}
