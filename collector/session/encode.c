/* encode.c - a record at a time, by its kind. */
#include "encode.h"
#include "encode_kept.h"
#include "record_fields.h"
#include <sys/mman.h>

struct encode {
	const struct layout *layout;
	struct kept *kept;
	/* of the buffer at hand */
	struct scribe *scribe;
	struct encoded *to;
	int64_t at_ns;
};

struct encode *encode_new(const struct layout *l, const struct names *n,
	encode_call_name_fn *call_name, void *ctx)
{
	struct encode *e = mmap(NULL, sizeof *e, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e == MAP_FAILED)
		return NULL;
	e->layout = l;
	e->kept = kept_new(n, call_name, ctx);
	if (e->kept)
		return e;
	encode_free(e);
	return NULL;
}

void encode_free(struct encode *e)
{
	if (!e)
		return;
	kept_free(e->kept);
	munmap(e, sizeof *e);
}

struct span {
	int64_t start_ns, dur_ns;
};

/* A record whose times are missing or reversed keeps what it has of them: of
 * both missing, the moment its buffer came. */
static struct span span(struct encode *e, uint64_t start, uint64_t end)
{
	if (start && end >= start && end <= INT64_MAX)
		return (struct span){ (int64_t)start, (int64_t)(end - start) };
	e->to->odd++;
	if (!start || start > INT64_MAX)
		start = end && end <= INT64_MAX ? end : (uint64_t)e->at_ns;
	return (struct span){ (int64_t)start, -1 };
}

static void put(struct encode *e, enum kst_kind kind, const void *row,
	int64_t *count)
{
	++*(scribe_row(e->scribe, kind, row) ? count : &e->to->lost);
}

static void kernel(struct encode *e, const struct record *r)
{
	struct kernel_record k;
	record_kernel(r, &k);
	struct span s = span(e, k.start_ns, k.end_ns);
	struct kept_ids ids = kept_launch(e->kept, &k);
	put(e, KST_kernel,
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

static void copy(struct encode *e, const struct record *r)
{
	struct copy_record c;
	record_copy(r, &c);
	struct span s = span(e, c.start_ns, c.end_ns);
	put(e, KST_copy,
		&(struct kst_copy){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = kept_copy(e->kept, &c),
			.device = c.device,
			.stream = c.stream,
			.correlation = c.correlation,
			.external_id = -1,
			.bytes = c.bytes <= INT64_MAX ? (int64_t)c.bytes : -1,
			.is_set = c.set },
		&e->to->copies);
}

static void call(struct encode *e, const struct record *r)
{
	struct api_record a;
	record_api(r, &a);
	int64_t name = kept_call(e->kept, &a);
	if (name < 0) {
		e->to->quiet++;
		return;
	}
	struct span s = span(e, a.start_ns, a.end_ns);
	put(e, KST_call,
		&(struct kst_call){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = name,
			.thread = kept_thread(e->kept, a.thread),
			.correlation = a.correlation,
			.external_id = -1 },
		&e->to->calls);
}

static void graph(struct encode *e, const struct record *r)
{
	struct graph_record g;
	record_graph(r, &g);
	struct span s = span(e, g.start_ns, g.end_ns);
	put(e, KST_graph,
		&(struct kst_graph){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = kept_graph(e->kept, g.graph),
			.device = g.device,
			.stream = g.stream,
			.correlation = g.correlation,
			.graph_id = g.graph,
			.graph_exec = -1 },
		&e->to->graphs);
}

/* What the profiler itself took, as a range of its own domain. */
static void overhead(struct encode *e, const struct record *r)
{
	struct overhead_record o;
	record_overhead(r, &o);
	struct span s = span(e, o.start_ns, o.end_ns);
	put(e, KST_range,
		&(struct kst_range){ .start_ns = s.start_ns,
			.dur_ns = s.dur_ns,
			.name = kept_overhead(e->kept, o.what),
			.kind = KST_RANGE_LOOSE,
			.thread = kept_thread(e->kept, o.thread),
			.domain = kept_profiler(e->kept),
			.id = -1,
			.parent = -1 },
		&e->to->overheads);
}

static void one(struct encode *e, const struct record *r)
{
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
	case CUPTI_ACTIVITY_KIND_KERNEL:
		kernel(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
	case CUPTI_ACTIVITY_KIND_MEMSET:
		copy(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		call(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		graph(e, r);
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		overhead(e, r);
		break;
	default:
		e->to->unknown++;
	}
}

bool encode_buffer(struct encode *e, const struct intake_buffer *b,
	struct scribe *s, struct encoded *to)
{
	struct record r = { .at = NULL };
	size_t unreadable; /* nothing: the intake cut that off */
	int64_t lost = to->lost;

	e->scribe = s;
	e->to = to;
	e->at_ns = b->at_ns;
	kept_begin(e->kept, s);
	while (records_next(e->layout, b->bytes, b->valid, &r, &unreadable))
		one(e, &r);
	return to->lost == lost;
}
