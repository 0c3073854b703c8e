/* encode.c - CUPTI records become rows of a capture file. */
#include "encode.h"
#include "calls.h"
#include "names.h"
#include "record_fields.h"
#include "records.h"
#include <cupti.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The names of copies, calls and the profiler's own work.
 *
 * They are Kineto's names, so that runs of both profilers can be compared. */

enum {
	WORDS_LONGEST = 96,
	WORDS_COPY_KINDS = 16, /* of each of the three numbers of a copy */
};

/* Ids that encode.c caches while one capture is written.
 *
 * Each id is found by a number, without reading its text again. If two numbers
 * need the same slot, the later one replaces the earlier. An id of 0 is not
 * cached: its text was dropped by a pattern, or nothing could be written. */

struct kept;

struct kept_ids {
	int64_t name, shape;
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *encode_direction(uint32_t kind)
{
	static const char *const names[] = {
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = "HtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = "DtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = "HtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = "AtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = "AtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = "AtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = "DtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = "DtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = "HtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = "PtoP",
	};
	return kind < COUNT(names) && names[kind] ? names[kind] : "<unknown>";
}

static const char *encode_memory(uint32_t kind)
{
	static const char *const names[] = {
		[CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN] = "Unknown",
		[CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE] = "Pageable",
		[CUPTI_ACTIVITY_MEMORY_KIND_PINNED] = "Pinned",
		[CUPTI_ACTIVITY_MEMORY_KIND_DEVICE] = "Device",
		[CUPTI_ACTIVITY_MEMORY_KIND_ARRAY] = "Array",
		[CUPTI_ACTIVITY_MEMORY_KIND_MANAGED] = "Managed",
		[CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC] = "Device Static",
		[CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC] = "Managed Static",
	};
	return kind < COUNT(names) ? names[kind] : "Unrecognized";
}

/* "Memcpy HtoD (Pageable -> Device)", "Memset (Device)"; its length. */
static size_t encode_words_copy(const struct copy_record *c,
	char to[static WORDS_LONGEST])
{
	int n = c->set ? snprintf(to, WORDS_LONGEST, "Memset (%s)",
				 encode_memory(c->dst_kind))
		       : snprintf(to, WORDS_LONGEST, "Memcpy %s (%s -> %s)",
				 encode_direction(c->copy_kind),
				 encode_memory(c->src_kind),
				 encode_memory(c->dst_kind));
	return (size_t)n;
}

/* "Buffer Flush"; never NULL. */
static const char *encode_words_overhead(uint32_t what)
{
	static const char *const of_driver[] = { "Unknown", "Driver Compiler" };
	static const char *const of_cupti[] = { NULL, "Buffer Flush",
		"Instrumentation", "Resource",
		"Runtime Triggered Module Loading", "Lazy Function Loading",
		"Command Buffer Full", "Activity Buffer Request",
		"UVM Activity Init" };
	if (what < COUNT(of_driver))
		return of_driver[what];
	if (what % (1 << 16) == 0 && what >> 16 < COUNT(of_cupti))
		return of_cupti[what >> 16];
	return "Unrecognized";
}

/* The length of a call's name without the version that CUPTI appends:
 * cudaLaunchKernel_v7000. */
static size_t encode_words_call(const char *name)
{
	enum { DIGITS_MIN = 4 };
	size_t all = strlen(name), len = all;
	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	if (all - len < DIGITS_MIN || len < 3 || name[len - 1] != 'v' ||
		name[len - 2] != '_')
		return all;
	return len - 2;
}

/* Whether it launches, copies or sets something on a GPU. */
static bool encode_words_call_acts(const char *name)
{
	static const char *const heads[] = { "cudaMemcpy", "cuMemcpy",
		"cudaMemset", "cuMemset" };
	if (calls_launches(name))
		return true;
	for (size_t i = 0; i < COUNT(heads); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}

enum {
	LAUNCHES = 1 << 12,
	THREADS = 1 << 10,
	GRAPHS = 1 << 8,
	CALLS = 1 << 10, /* of the runtime and of the driver, each */
	COPIES = 1 << 12, /* direction, source, destination: four bits each */
	SETS = WORDS_COPY_KINDS,
};

enum call { CALL_NEW, CALL_ACTS, CALL_QUIET }; /* of an API call */

/* The words for grid, block and shared memory, name and registers of a
 * kernel. */
enum { LAUNCH_WORDS = 5 };

struct numbered {
	uint64_t number; /* the number plus 1; 0: a free slot */
	int64_t id;
};

struct kept {
	const struct kernel_names *names;
	encode_call_name_fn *call_name;
	void *ctx;
	struct capture_writer *writer;
	int64_t captures;
	uint8_t calls_known[2][CALLS]; /* enum call; valid for all captures */
	struct cache { /* values that are valid in one capture only */
		int64_t kernels[NAMES_MAX];
		struct launch {
			_Alignas(64) uint64_t word[LAUNCH_WORDS];
			int64_t name, shape;
		} launches[LAUNCHES];
		struct numbered threads[THREADS], graphs[GRAPHS];
		int64_t calls[2][CALLS], copies[COPIES], sets[SETS];
	} cache;
};

static struct kept *encode_kept_new(const struct kernel_names *n,
	encode_call_name_fn *call_name, void *ctx)
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

static void encode_kept_free(struct kept *k)
{
	if (k)
		munmap(k, sizeof *k);
}

/* Clears the ids of the previous capture. */
static void encode_kept_begin(struct kept *k, struct capture_writer *s)
{
	int64_t captures = capture_writer_captures(s);
	if (k->writer == s && k->captures == captures)
		return;
	k->writer = s;
	k->captures = captures;
	memset(&k->cache, 0, sizeof k->cache);
}

static int64_t encode_own(struct kept *k, const char *text, size_t len)
{
	return capture_writer_text(k->writer, TEXT_OWN, 0, text, len);
}

static int64_t encode_kept_kernel(struct kept *k, uint64_t name)
{
	size_t len;
	int64_t *id = &k->cache.kernels[name];
	if (!*id) {
		const char *text = names_text(k->names, (uint32_t)name, &len);
		if (len)
			*id = capture_writer_text(k->writer, TEXT_KERNEL, name,
				text, len);
	}
	return *id;
}

static int64_t encode_shape_id(struct kept *k, const struct kernel_record *r)
{
	int32_t shared;
	if (__builtin_add_overflow(r->launch.static_shared,
		    r->launch.dynamic_shared, &shared))
		shared = -1;
	return capture_writer_shape(k->writer,
		&(struct kst_shape){ { r->launch.grid[0], r->launch.grid[1],
					     r->launch.grid[2] },
			{ r->launch.block[0], r->launch.block[1],
				r->launch.block[2] },
			r->registers, shared });
}

/* Without a loop: this runs a million times per second, with five words
 * each. */
static inline bool encode_same(const uint64_t *a, const uint64_t *b)
{
	_Static_assert(LAUNCH_WORDS == 5, "all of them");
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) |
		 (a[4] ^ b[4]));
}

static inline uint64_t encode_hash(const uint64_t *a)
{
	return (a[0] ^ a[0] >> 29) * 0x9E3779B97F4A7C15u +
	       (a[1] ^ a[1] >> 29) * 0xD6E8FEB86659FD93u +
	       (a[2] ^ a[2] >> 29) * 0xFF51AFD7ED558CCDu +
	       (a[3] ^ a[3] >> 29) * 0xC4CEB9FE1A85EC53u +
	       (a[4] ^ a[4] >> 29) * 0xA0761D6478BD642Fu;
}

/* The slot of a launch: one of two; if it is in neither, the second is
 * reused. */
static inline struct launch *encode_place(struct kept *k, const uint64_t *word)
{
	uint64_t h = encode_hash(word);
	struct launch *first = &k->cache.launches[(h >> 40) % LAUNCHES];
	if (!first->shape || encode_same(first->word, word))
		return first;
	return &k->cache.launches[(h >> 52) % LAUNCHES];
}

static struct kept_ids encode_kept_launch(struct kept *k,
	const struct kernel_record *r)
{
	uint64_t word[LAUNCH_WORDS];
	uint64_t name = r->name < NAMES_MAX ? r->name : NAMES_NONE;
	memcpy(word, &r->launch, sizeof r->launch);
	word[LAUNCH_WORDS - 1] = name << 32 | (uint32_t)r->registers;
	struct launch *l = encode_place(k, word);
	if (!l->shape || !encode_same(l->word, word)) {
		memcpy(l->word, word, sizeof word);
		l->name = 0;
		l->shape = encode_shape_id(k, r);
	}
	if (!l->name)
		l->name = encode_kept_kernel(k, name);
	return (struct kept_ids){ l->name, l->shape };
}

static int64_t encode_kept_copy(struct kept *k, const struct copy_record *r)
{
	char text[WORDS_LONGEST];
	if (r->copy_kind >= WORDS_COPY_KINDS ||
		r->src_kind >= WORDS_COPY_KINDS ||
		r->dst_kind >= WORDS_COPY_KINDS)
		return encode_own(k, text, encode_words_copy(r, text));
	int64_t *id = r->set ? &k->cache.sets[r->dst_kind]
			     : &k->cache.copies[r->copy_kind * 256 +
						r->src_kind * 16 + r->dst_kind];
	if (!*id)
		*id = encode_own(k, text, encode_words_copy(r, text));
	return *id;
}

/* A call with a number beyond the table has no name and may be a launch. */
static int64_t encode_call_by_number(struct kept *k, const struct api_record *r)
{
	char text[WORDS_LONGEST];
	int len = snprintf(text, sizeof text, "%s call %u",
		r->driver ? "driver" : "runtime", r->cbid);
	return encode_own(k, text, (size_t)len);
}

/* Finds out what is needed of a call before its text is read. */
static const char *encode_call_name(struct kept *k, const struct api_record *r,
	uint8_t *known)
{
	if (*known == CALL_QUIET)
		return NULL;
	const char *name = k->call_name(k->ctx, r->driver, r->cbid);
	if (name)
		*known = encode_words_call_acts(name) ? CALL_ACTS : CALL_QUIET;
	return name;
}

/* The id of a call's name. -1 if the call launches, copies and sets nothing. */
static int64_t encode_kept_call(struct kept *k, const struct api_record *r)
{
	if (r->cbid >= CALLS)
		return encode_call_by_number(k, r);
	uint8_t *known = &k->calls_known[r->driver][r->cbid];
	int64_t *id = &k->cache.calls[r->driver][r->cbid];
	if (!*id) {
		const char *name = encode_call_name(k, r, known);
		if (*known == CALL_QUIET)
			return -1;
		*id = name ? encode_own(k, name, encode_words_call(name))
			   : encode_call_by_number(k, r);
	}
	return *id;
}

/* The id of a text that is made from a number. */
static int64_t encode_numbered(struct kept *k, struct numbered *place,
	uint32_t number, const char *before)
{
	char text[WORDS_LONGEST];
	if (place->number == number + UINT64_C(1) && place->id)
		return place->id;
	int len = snprintf(text, sizeof text, "%s%u", before, number);
	*place = (struct numbered){ number + UINT64_C(1),
		encode_own(k, text, (size_t)len) };
	return place->id;
}

static int64_t encode_kept_thread(struct kept *k, uint32_t thread)
{
	if (!thread)
		return 0;
	return encode_numbered(k, &k->cache.threads[thread % THREADS], thread,
		"");
}

static int64_t encode_kept_graph(struct kept *k, uint32_t graph)
{
	return encode_numbered(k, &k->cache.graphs[graph % GRAPHS], graph,
		"CUDA graph ");
}

static int64_t encode_kept_overhead(struct kept *k, uint32_t what)
{
	const char *text = encode_words_overhead(what);
	return encode_own(k, text, strlen(text)); /* not cached, because there
						   * are few of them */
}

static int64_t encode_kept_profiler(struct kept *k)
{
	return encode_own(k, "CUPTI", 5);
}

struct encode {
	const struct layout *layout;
	struct kept *kept;
	/* for the current buffer */
	struct capture_writer *writer;
	struct encoded *to;
	int64_t at_ns;
};

struct encode *encode_new(const struct layout *l, const struct kernel_names *n,
	encode_call_name_fn *call_name, void *ctx)
{
	struct encode *e = mmap(NULL, sizeof *e, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e == MAP_FAILED)
		return NULL;
	e->layout = l;
	e->kept = encode_kept_new(n, call_name, ctx);
	if (e->kept)
		return e;
	encode_free(e);
	return NULL;
}

void encode_free(struct encode *e)
{
	if (!e)
		return;
	encode_kept_free(e->kept);
	munmap(e, sizeof *e);
}

struct span {
	int64_t start_ns, dur_ns;
};

/* If the times of a record are missing or reversed, uses one of them as the
 * start, with an unknown duration. If both are missing, the start is the time
 * when the record's buffer arrived. */
static struct span encode_span(struct encode *e, uint64_t start, uint64_t end)
{
	if (start && end >= start && end <= INT64_MAX)
		return (struct span){ (int64_t)start, (int64_t)(end - start) };
	e->to->odd++;
	if (!start || start > INT64_MAX)
		start = end && end <= INT64_MAX ? end : (uint64_t)e->at_ns;
	return (struct span){ (int64_t)start, -1 };
}

static void encode_put(struct encode *e, enum kst_kind kind, const void *row,
	int64_t *count)
{
	++*(capture_writer_row(e->writer, kind, row) ? count : &e->to->lost);
}

static void encode_kernel(struct encode *e, const struct record *r)
{
	struct kernel_record k;
	record_kernel(r, &k);
	struct span s = encode_span(e, k.start_ns, k.end_ns);
	struct kept_ids ids = encode_kept_launch(e->kept, &k);
	encode_put(e, KST_kernel,
		&(struct kst_kernel){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = ids.name,
			.device = k.device,
			.stream = k.stream,
			.correlation = k.correlation,
			.external_id = -1,
			.graph_id = k.graph ? (int64_t)k.graph : -1,
			.graph_node = k.graph_node ? (int64_t)k.graph_node : -1,
			.launch = ids.shape },
		&e->to->kernels);
}

static void encode_copy(struct encode *e, const struct record *r)
{
	struct copy_record c;
	record_copy(r, &c);
	struct span s = encode_span(e, c.start_ns, c.end_ns);
	encode_put(e, KST_copy,
		&(struct kst_copy){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = encode_kept_copy(e->kept, &c),
			.device = c.device,
			.stream = c.stream,
			.correlation = c.correlation,
			.external_id = -1,
			.bytes = c.bytes <= INT64_MAX ? (int64_t)c.bytes : -1,
			.is_set = c.set },
		&e->to->copies);
}

static void encode_call(struct encode *e, const struct record *r)
{
	struct api_record a;
	record_api(r, &a);
	int64_t name = encode_kept_call(e->kept, &a);
	if (name < 0) {
		e->to->quiet++;
		return;
	}
	struct span s = encode_span(e, a.start_ns, a.end_ns);
	encode_put(e, KST_call,
		&(struct kst_call){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = name,
			.thread = encode_kept_thread(e->kept, a.thread),
			.correlation = a.correlation,
			.external_id = -1 },
		&e->to->calls);
}

static void encode_graph(struct encode *e, const struct record *r)
{
	struct graph_record g;
	record_graph(r, &g);
	struct span s = encode_span(e, g.start_ns, g.end_ns);
	encode_put(e, KST_graph,
		&(struct kst_graph){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = encode_kept_graph(e->kept, g.graph),
			.device = g.device,
			.stream = g.stream,
			.correlation = g.correlation,
			.graph_id = g.graph,
			.graph_exec = -1 },
		&e->to->graphs);
}

/* Writes the profiler's own time as a range in its own domain. */
static void encode_overhead(struct encode *e, const struct record *r)
{
	struct overhead_record o;
	record_overhead(r, &o);
	struct span s = encode_span(e, o.start_ns, o.end_ns);
	encode_put(e, KST_range,
		&(struct kst_range){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = encode_kept_overhead(e->kept, o.what),
			.kind = KST_RANGE_LOOSE,
			.thread = encode_kept_thread(e->kept, o.thread),
			.domain = encode_kept_profiler(e->kept),
			.id = -1,
			.parent = -1 },
		&e->to->overheads);
}

static void encode_one(struct encode *e, const struct record *r)
{
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
	case CUPTI_ACTIVITY_KIND_KERNEL:
		encode_kernel(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
	case CUPTI_ACTIVITY_KIND_MEMSET:
		encode_copy(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		encode_call(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		encode_graph(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		encode_overhead(e, r);
		break;
	default:
		e->to->unknown++;
	}
}

bool encode_buffer(struct encode *e, const struct intake_buffer *b,
	struct capture_writer *s, struct encoded *to)
{
	struct record r = { .at = NULL };
	size_t unreadable; /* always 0, because the intake cut off unreadable
			    * bytes */
	int64_t lost = to->lost;

	e->writer = s;
	e->to = to;
	e->at_ns = b->at_ns;
	encode_kept_begin(e->kept, s);
	while (records_next(e->layout, b->bytes, b->valid, &r, &unreadable))
		encode_one(e, &r);
	return to->lost == lost;
}
