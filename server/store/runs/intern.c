/* intern.c - the dictionary of kernels: look up, insert, look again. */
#include "intern.h"
#include "sha256.h"
#include "sql.h"
#include <assert.h>

/* Names of one statement, so that no parameter grows without end. */
enum { BATCH = 4096, BATCH_BYTES = 8 << 20 };

struct entry {
	uint8_t sha256[SHA256_BYTES];
	const struct profile_kernel *is;
	int64_t *slot; /* where its id goes */
	int64_t id; /* 0 unknown */
	bool stale; /* the dictionary knows something else of it */
};

struct intern {
	struct entry *list; /* by sha256; each name once */
	uint32_t n;
};

static int by_sha256(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_BYTES);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The next column, compared with what it should be. */
static bool differs(struct result *r, struct arena *a, const char *is)
{
	return !same(result_text(r, a), is);
}

static void found(struct intern *in, struct result *r)
{
	struct arena a = { 0 };
	while (result_next(r)) {
		size_t len;
		const void *sha256 = result_bytes(r, &len);
		struct entry *en =
			bsearch(sha256, in->list, in->n, sizeof *en, by_sha256);
		assert(en && len == SHA256_BYTES);
		en->id = result_int8(r, 0);
		const struct kernel_source *s = &en->is->source;
		en->stale = differs(r, &a, en->is->short_name);
		en->stale |= differs(r, &a, s->family);
		en->stale |= differs(r, &a, s->defined_in);
		en->stale |= differs(r, &a, s->launched_from);
		en->stale |= differs(r, &a, s->known_from);
		en->stale |= differs(r, &a, en->is->operator);
	}
	arena_release(&a);
	result_release(r);
}

static bool look_up(struct db *db, struct intern *in, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array keys;
	struct result r;
	sql_array_init(&keys, SQL_BYTES);
	for (uint32_t i = 0; i < in->n; i++)
		sql_array_add(&keys, in->list[i].sha256, SHA256_BYTES);
	sql_array(&p, &keys);
	bool ok = sql_run(db,
		"SELECT k.sha256, k.id, k.short_name, k.family, k.defined_in, "
		"k.launched_from, k.known_from, k.operator "
		"FROM unnest($1) n (sha256) "
		"JOIN kernel k ON k.sha256 = n.sha256",
		&p, &r, e);
	sql_array_release(&keys);
	if (ok)
		found(in, &r);
	return ok;
}

static bool missing(const struct entry *en)
{
	return !en->id;
}

static bool stale(const struct entry *en)
{
	return en->stale;
}

enum { COLUMNS = 9 };

/* The columns of at most a batch of the entries that are wanted, from *at. */
static uint32_t columns(const struct intern *in, uint32_t *at,
	bool (*wanted)(const struct entry *en), struct sql_array c[COLUMNS])
{
	uint32_t n = 0;
	for (; *at < in->n && n < BATCH && c[1].body.len < BATCH_BYTES; ++*at) {
		const struct entry *en = &in->list[*at];
		if (!wanted(en))
			continue;
		sql_array_add(&c[0], en->sha256, SHA256_BYTES);
		sql_array_text(&c[1], en->is->name);
		sql_array_text(&c[2], en->is->mangled);
		sql_array_text(&c[3], en->is->short_name);
		sql_array_text(&c[4], en->is->source.family);
		sql_array_text(&c[5], en->is->source.defined_in);
		sql_array_text(&c[6], en->is->source.launched_from);
		sql_array_text(&c[7], en->is->source.known_from);
		sql_array_text(&c[8], en->is->operator);
		n++;
	}
	return n;
}

/* Runs the statement over all entries that are wanted, batch by batch. */
static bool in_batches(struct db *db, const struct intern *in,
	bool (*wanted)(const struct entry *en), const char *sql, struct err *e)
{
	bool ok = true;
	for (uint32_t at = 0; ok && at < in->n;) {
		struct sql_params p = { 0 };
		struct sql_array c[COLUMNS];
		for (int i = 0; i < COLUMNS; i++)
			sql_array_init(&c[i], i ? SQL_TEXT : SQL_BYTES);
		uint32_t n = columns(in, &at, wanted, c);
		for (int i = 0; i < COLUMNS; i++)
			sql_array(&p, &c[i]);
		if (n)
			ok = sql_run(db, sql, &p, NULL, e);
		for (int i = 0; i < COLUMNS; i++)
			sql_array_release(&c[i]);
	}
	return ok;
}

#define ENTRIES                                                        \
	"unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) n (sha256, name, " \
	"mangled, short_name, family, defined_in, launched_from, "     \
	"known_from, operator) "

/* What an earlier attempt inserted was rolled back, hence the look first. The
 * commit does not wait for the disk: nobody refers to the names before the
 * save, whose commit does. */
static bool add(struct db *db, void *arg, struct err *e)
{
	struct intern *in = arg;
	for (uint32_t i = 0; i < in->n; i++)
		in->list[i].id = 0;
	return sql_script(db, "SET LOCAL synchronous_commit = off", e) &&
	       look_up(db, in, e) &&
	       in_batches(db, in, missing,
		       "INSERT INTO kernel (sha256, name, mangled, "
		       "short_name, family, defined_in, launched_from, "
		       "known_from, operator) "
		       "SELECT * FROM " ENTRIES "ORDER BY sha256",
		       e) &&
	       in_batches(db, in, stale,
		       "UPDATE kernel k "
		       "SET short_name = s.short_name, family = s.family, "
		       "defined_in = s.defined_in, "
		       "launched_from = s.launched_from, "
		       "known_from = s.known_from, "
		       "operator = s.operator "
		       "FROM (SELECT l.id, n.* FROM " ENTRIES
		       "JOIN kernel l ON l.sha256 = n.sha256 "
		       "ORDER BY l.sha256 "
		       "FOR NO KEY UPDATE OF l) s "
		       "WHERE k.id = s.id",
		       e) &&
	       look_up(db, in, e);
}

static bool complete(const struct intern *in)
{
	for (uint32_t i = 0; i < in->n; i++)
		if (missing(&in->list[i]) || stale(&in->list[i]))
			return false;
	return true;
}

/* Every kernel of every run, sorted, and a place for its id. */
static struct entry *collect(struct arena *a, const struct profile *runs,
	uint32_t n, int64_t **ids, uint32_t *all)
{
	*all = 0;
	for (uint32_t i = 0; i < n; i++)
		*all += runs[i].kernels_n;
	struct entry *list = arena_array(a, struct entry, *all), *en = list;
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = arena_array(a, int64_t, runs[i].kernels_n);
		for (uint32_t k = 0; k < runs[i].kernels_n; k++, en++) {
			en->is = &runs[i].kernels[k];
			en->slot = &ids[i][k];
			sha256_of(en->is->name, strlen(en->is->name),
				en->sha256);
		}
	}
	qsort(list, *all, sizeof *list, by_sha256);
	return list;
}

bool intern(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, int64_t ***ids, struct err *e)
{
	uint32_t all;
	struct intern in = { 0 };
	*ids = arena_array(a, int64_t *, n);
	struct entry *list = collect(a, runs, n, *ids, &all);
	in.list = arena_array(a, struct entry, all);
	for (uint32_t i = 0; i < all; i++)
		if (!in.n || by_sha256(&in.list[in.n - 1], &list[i]))
			in.list[in.n++] = list[i];

	if (!look_up(db, &in, e) ||
		(!complete(&in) && !sql_transaction(db, add, &in, e)))
		return false;
	for (uint32_t i = 0, at = 0; i < all; i++) {
		at += by_sha256(&in.list[at], &list[i]) != 0;
		*list[i].slot = in.list[at].id;
	}
	return true;
}
