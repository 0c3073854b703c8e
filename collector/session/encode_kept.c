/* encode_kept.c - tables by number: ids of texts and shapes of this capture. */
#include "encode_kept.h"
#include "encode_words.h"
#include "record_fields.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LAUNCHES = 1 << 12,
	THREADS = 1 << 10,
	GRAPHS = 1 << 8,
	CALLS = 1 << 10, /* of the runtime, of the driver */
	COPIES = 1 << 12, /* direction, from, to: four bits each */
	SETS = WORDS_COPY_KINDS,
};

enum call { CALL_NEW, CALL_ACTS, CALL_QUIET }; /* what is known of one */

/* Grid, block and shared memory, name and registers of a kernel. */
enum { LAUNCH_WORDS = 5 };

struct numbered {
	uint64_t number; /* plus 1; 0: a free place */
	int64_t id;
};

struct kept {
	const struct names *names;
	encode_call_name_fn *call_name;
	void *ctx;
	struct scribe *scribe;
	int64_t captures;
	uint8_t calls_known[2][CALLS]; /* enum call; of no capture */
	struct told { /* all that is of one capture */
		int64_t kernels[NAMES_MAX];
		struct launch {
			_Alignas(64) uint64_t word[LAUNCH_WORDS];
			int64_t name, shape;
		} launches[LAUNCHES];
		struct numbered threads[THREADS], graphs[GRAPHS];
		int64_t calls[2][CALLS], copies[COPIES], sets[SETS];
	} told;
};

struct kept *kept_new(const struct names *n, encode_call_name_fn *call_name,
	void *ctx)
{
	struct kept *k = mmap(NULL, sizeof *k, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (k == MAP_FAILED)
		return NULL;
	k->names = n;
	k->call_name = call_name;
	k->ctx = ctx;
	return k;
}

void kept_free(struct kept *k)
{
	if (k)
		munmap(k, sizeof *k);
}

void kept_begin(struct kept *k, struct scribe *s)
{
	int64_t captures = scribe_captures(s);
	if (k->scribe == s && k->captures == captures)
		return;
	k->scribe = s;
	k->captures = captures;
	memset(&k->told, 0, sizeof k->told);
}

static int64_t own(struct kept *k, const char *text, size_t len)
{
	return scribe_text(k->scribe, TEXT_OWN, 0, text, len);
}

static int64_t kernel(struct kept *k, uint64_t name)
{
	size_t len;
	int64_t *id = &k->told.kernels[name];
	if (!*id) {
		const char *text = names_text(k->names, (uint32_t)name, &len);
		if (len)
			*id = scribe_text(k->scribe, TEXT_KERNEL, name, text,
				len);
	}
	return *id;
}

static int64_t shape(struct kept *k, const struct kernel_record *r)
{
	int32_t shared;
	if (__builtin_add_overflow(r->launch.static_shared,
		    r->launch.dynamic_shared, &shared))
		shared = -1;
	return scribe_shape(k->scribe,
		&(struct kst_shape){ { r->launch.grid[0], r->launch.grid[1],
					     r->launch.grid[2] },
			{ r->launch.block[0], r->launch.block[1],
				r->launch.block[2] },
			r->registers, shared });
}

/* Written out: five words each time, a million times a second. */
static inline bool same(const uint64_t *a, const uint64_t *b)
{
	_Static_assert(LAUNCH_WORDS == 5, "all of them");
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) |
		 (a[4] ^ b[4]));
}

static inline uint64_t hash(const uint64_t *a)
{
	return (a[0] ^ a[0] >> 29) * 0x9E3779B97F4A7C15u +
	       (a[1] ^ a[1] >> 29) * 0xD6E8FEB86659FD93u +
	       (a[2] ^ a[2] >> 29) * 0xFF51AFD7ED558CCDu +
	       (a[3] ^ a[3] >> 29) * 0xC4CEB9FE1A85EC53u +
	       (a[4] ^ a[4] >> 29) * 0xA0761D6478BD642Fu;
}

/* Where a launch is kept: in one of two places, or in the second from now on. */
static inline struct launch *place(struct kept *k, const uint64_t *word)
{
	uint64_t h = hash(word);
	struct launch *first = &k->told.launches[(h >> 40) % LAUNCHES];
	if (!first->shape || same(first->word, word))
		return first;
	return &k->told.launches[(h >> 52) % LAUNCHES];
}

struct kept_ids kept_launch(struct kept *k, const struct kernel_record *r)
{
	uint64_t word[LAUNCH_WORDS];
	uint64_t name = r->name < NAMES_MAX ? r->name : NAMES_NONE;
	memcpy(word, &r->launch, sizeof r->launch);
	word[LAUNCH_WORDS - 1] = name << 32 | (uint32_t)r->registers;
	struct launch *l = place(k, word);
	if (!l->shape || !same(l->word, word)) {
		memcpy(l->word, word, sizeof word);
		l->name = 0;
		l->shape = shape(k, r);
	}
	if (!l->name)
		l->name = kernel(k, name);
	return (struct kept_ids){ l->name, l->shape };
}

int64_t kept_copy(struct kept *k, const struct copy_record *r)
{
	char text[WORDS_LONGEST];
	if (r->copy_kind >= WORDS_COPY_KINDS ||
		r->src_kind >= WORDS_COPY_KINDS ||
		r->dst_kind >= WORDS_COPY_KINDS)
		return own(k, text, words_copy(r, text));
	int64_t *id = r->set ? &k->told.sets[r->dst_kind]
			     : &k->told.copies[r->copy_kind * 256 +
					       r->src_kind * 16 + r->dst_kind];
	if (!*id)
		*id = own(k, text, words_copy(r, text));
	return *id;
}

/* A call beyond all that are known has no name and may be a launch. */
static int64_t call_by_number(struct kept *k, const struct api_record *r)
{
	char text[WORDS_LONGEST];
	int len = snprintf(text, sizeof text, "%s call %u",
		r->driver ? "driver" : "runtime", r->cbid);
	return own(k, text, (size_t)len);
}

/* What is to be known of a call before its text is asked for. */
static const char *call_name(struct kept *k, const struct api_record *r,
	uint8_t *known)
{
	if (*known == CALL_QUIET)
		return NULL;
	const char *name = k->call_name(k->ctx, r->driver, r->cbid);
	if (name)
		*known = words_call_acts(name) ? CALL_ACTS : CALL_QUIET;
	return name;
}

int64_t kept_call(struct kept *k, const struct api_record *r)
{
	if (r->cbid >= CALLS)
		return call_by_number(k, r);
	uint8_t *known = &k->calls_known[r->driver][r->cbid];
	int64_t *id = &k->told.calls[r->driver][r->cbid];
	if (!*id) {
		const char *name = call_name(k, r, known);
		if (*known == CALL_QUIET)
			return -1;
		*id = name ? own(k, name, words_call(name))
			   : call_by_number(k, r);
	}
	return *id;
}

/* The id of a text that is made of a number. */
static int64_t numbered(struct kept *k, struct numbered *place, uint32_t number,
	const char *before)
{
	char text[WORDS_LONGEST];
	if (place->number == number + UINT64_C(1) && place->id)
		return place->id;
	int len = snprintf(text, sizeof text, "%s%u", before, number);
	*place = (struct numbered){ number + UINT64_C(1),
		own(k, text, (size_t)len) };
	return place->id;
}

int64_t kept_thread(struct kept *k, uint32_t thread)
{
	if (!thread)
		return 0;
	return numbered(k, &k->told.threads[thread % THREADS], thread, "");
}

int64_t kept_graph(struct kept *k, uint32_t graph)
{
	return numbered(k, &k->told.graphs[graph % GRAPHS], graph,
		"CUDA graph ");
}

int64_t kept_overhead(struct kept *k, uint32_t what)
{
	const char *text = words_overhead(what);
	return own(k, text, strlen(text)); /* there are few of them */
}

int64_t kept_profiler(struct kept *k)
{
	return own(k, "CUPTI", 5);
}
