/* reanalyze.c - from the stored capture to cycles and layers. */
#include "reanalyze.h"
#include "analyze.h"
#include "attribute.h"
#include "catalog_cache.h"
#include "decode.h"
#include "own.h"
#include "profile_word.h"
#include "query.h"
#include "ranged_copy.h"
#include <stdlib.h>

/* What a request wants of a run. A run that came as a table has no launches to
 * make it from. */
struct wanted {
	struct service_call *call;
	int64_t run;
	struct profile_asked asked;
	const char *word;
	/* Takes it out of the profile, which goes. */
	void (*take)(const struct profile *p, struct arena *to, void *out);
	void *out;
};

static bool launched(const struct wanted *w, const struct profile *p,
	struct err *e)
{
	return p->content == CONTENT_LAUNCHES ||
	       err_set(e, ERR_NOT_FOUND,
		       "run %lld has no %s: somebody's %s are all that is "
		       "known of it",
		       (long long)w->run, w->word,
		       profile_word_content[p->content]);
}

/* Of one run's trace and what is made of it; a capture is not compressed. */
#define RANGED_BYTES ((size_t)1 << 30)
#define CAPTURE_BYTES (INT64_C(1) << 40)

struct capture_source {
	struct db *db;
	int64_t run, edition;
	int32_t seq; /* of the next piece */
	unsigned char *bytes; /* a piece */
};

static bool next(void *ctx, const void **bytes, size_t *len, struct err *e)
{
	struct capture_source *s = ctx;
	*bytes = s->bytes;
	return query_capture(s->db, s->run, s->seq++, &s->edition, s->bytes,
		len, e);
}

static bool trace_read(struct service_call *c, int64_t run, struct trace *t,
	struct err *e)
{
	static const struct decode_limits limits = { CAPTURE_BYTES, 1 };
	struct capture_source s = { .db = c->db, .run = run };
	struct source source = { next, &s, -1 };
	s.bytes = malloc(CAPTURE_PIECE);
	if (!s.bytes)
		abort();
	bool ok = decode(&source, &limits, NULL, t, e);
	free(s.bytes);
	return ok;
}

/* With the graphs at hand that uploads taught, as an ingest has them. */
static bool analyzed(const struct wanted *w, const struct trace *t,
	struct arena *a, struct profile *p, struct err *e)
{
	const struct catalog *catalog = catalog_held_take(w->call, e);
	struct graph_known *graphs = NULL;
	struct graph_book book = { 0 };
	uint8_t(*keys)[32];
	uint32_t n;
	if (!catalog)
		return false;
	if (!attribute_keys(t, 0, a, &keys, &n))
		return arena_err(a, e);
	struct arena learnt = arena_scratch(a);
	bool ok = n == 0 || own_graphs(w->call->db, &learnt, keys, n, &graphs,
				    &book.n, e);
	book.graphs = graphs;
	ok = ok && profile_asked(t, 0, &w->asked, catalog, &book, a, p, e);
	arena_scratch_release(&learnt, a);
	return ok;
}

static bool read_anew(const struct wanted *w, struct err *e)
{
	struct service_call *c = w->call;
	struct arena a = { .ceiling = RANGED_BYTES };
	struct err why = { 0 };
	struct profile p = { 0 };
	struct trace t;
	bool ok = (trace_init(&t, &a) || arena_err(&a, &why)) &&
		  trace_read(c, w->run, &t, &why) &&
		  analyzed(w, &t, &a, &p, &why);
	if (a.full)
		err_set(&why, ERR_TOO_LARGE,
			"it needs more than the %d MiB that what is made anew "
			"from a capture may take; record a shorter window",
			(int)(RANGED_BYTES >> 20));
	if (!ok)
		err_set(e, why.code, "run %lld: %s", (long long)w->run,
			why.text);
	ok = ok && launched(w, &p, e);
	if (ok)
		w->take(&p, &c->arena, w->out);
	arena_release(&a);
	return ok;
}

static void take_cycles(const struct profile *p, struct arena *to, void *out)
{
	ranged_copy(p, to, out);
}

bool ranged_read(struct service_call *c, const char *range,
	struct compared_run *run, struct err *e)
{
	const struct wanted w = { c, run->id, { range, BREAKDOWN_UNASKED },
		"ranges", take_cycles, run };
	return read_anew(&w, e);
}

static void take_layers(const struct profile *p, struct arena *to, void *out)
{
	ranged_copy_layers(p, to, out);
}

bool ranged_layers(struct service_call *c, int64_t run,
	const struct breakdown_asked *asked, struct breakdown_stored *out,
	struct err *e)
{
	const struct wanted w = { c, run, { NULL, *asked }, "layers",
		take_layers, out };
	return read_anew(&w, e) &&
	       query_kernel_ids(c->db, out->kernels, out->kernels_n, e);
}
