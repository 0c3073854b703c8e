/* intern.c - dictionaries of kernels, operators and shapes: looks names up,
 * inserts missing ones, looks up again. */
#include "intern.h"
#include "profile_word.h"
#include "sha256.h"
#include "sql.h"
#include <assert.h>

/* Maximum size of one statement's names, so that parameters are bounded. */
enum { BATCH = 4096, BATCH_BYTES = 8 << 20 };

struct intern_kernel {
	uint8_t sha256[SHA256_BYTES];
	const struct profile_kernel *is;
	int64_t *slot; /* where to store its id */
	int64_t id; /* 0 unknown */
	bool stale; /* the dictionary has other data */
};

struct intern_kernel_list {
	struct intern_kernel *list; /* by sha256; each name once */
	uint32_t n;
};

static int intern_by_sha256(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_BYTES);
}

static bool intern_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Whether the next column differs from the expected value. */
static bool intern_kernel_differs(struct result *r, struct arena *a,
	const char *is)
{
	return !intern_same_text(result_text(r, a), is);
}

static void intern_kernel_read(struct intern_kernel_list *in, struct result *r)
{
	struct arena a = { 0 };
	while (result_next(r)) {
		size_t len;
		const void *sha256 = result_bytes(r, &len);
		struct intern_kernel *en = bsearch(sha256, in->list, in->n,
			sizeof *en, intern_by_sha256);
		assert(en && len == SHA256_BYTES);
		en->id = result_int8(r, 0);
		const struct kernel_source *s = &en->is->source;
		en->stale = intern_kernel_differs(r, &a, en->is->short_name);
		en->stale |= intern_kernel_differs(r, &a, s->family);
		en->stale |= intern_kernel_differs(r, &a, s->defined_in);
		en->stale |= intern_kernel_differs(r, &a, s->launched_from);
		en->stale |= intern_kernel_differs(r, &a, s->known_from);
		en->stale |= intern_kernel_differs(r, &a, en->is->op);
	}
	arena_release(&a);
	result_release(r);
}

static bool intern_kernel_find(struct db *db, struct intern_kernel_list *in,
	struct err *e)
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
		"k.launched_from, k.source, k.operator "
		"FROM unnest($1) n (sha256) "
		"JOIN kernel k ON k.sha256 = n.sha256",
		&p, &r, e);
	sql_array_release(&keys);
	if (ok)
		intern_kernel_read(in, &r);
	return ok;
}

static bool intern_kernel_missing(const struct intern_kernel *en)
{
	return !en->id;
}

static bool intern_kernel_stale(const struct intern_kernel *en)
{
	return en->stale;
}

enum { KERNEL_COLUMNS_N = 9 };

/* The columns of at most one batch of the wanted entries, beginning at *at. */
static uint32_t intern_kernel_columns(const struct intern_kernel_list *in,
	uint32_t *at, bool (*wanted)(const struct intern_kernel *en),
	struct sql_array c[KERNEL_COLUMNS_N])
{
	uint32_t n = 0;
	for (; *at < in->n && n < BATCH && c[1].body.len < BATCH_BYTES; ++*at) {
		const struct intern_kernel *en = &in->list[*at];
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
		sql_array_text(&c[8], en->is->op);
		n++;
	}
	return n;
}

/* Runs the statement over all wanted entries, batch by batch. */
static bool intern_kernel_in_batches(struct db *db,
	const struct intern_kernel_list *in,
	bool (*wanted)(const struct intern_kernel *en), const char *sql,
	struct err *e)
{
	bool ok = true;
	for (uint32_t at = 0; ok && at < in->n;) {
		struct sql_params p = { 0 };
		struct sql_array c[KERNEL_COLUMNS_N];
		for (int i = 0; i < KERNEL_COLUMNS_N; i++)
			sql_array_init(&c[i], i ? SQL_TEXT : SQL_BYTES);
		uint32_t n = intern_kernel_columns(in, &at, wanted, c);
		for (int i = 0; i < KERNEL_COLUMNS_N; i++)
			sql_array(&p, &c[i]);
		if (n)
			ok = sql_run(db, sql, &p, NULL, e);
		for (int i = 0; i < KERNEL_COLUMNS_N; i++)
			sql_array_release(&c[i]);
	}
	return ok;
}

#define KERNEL_ENTRIES                                                 \
	"unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) n (sha256, name, " \
	"mangled, short_name, family, defined_in, launched_from, "     \
	"source, operator) "

/* Looks up again first, because the names that a failed attempt inserted were
 * rolled back. The commit does not wait for the disk: rows refer to the names
 * only after the save, whose commit waits. */
static bool intern_kernel_add(struct db *db, void *arg, struct err *e)
{
	struct intern_kernel_list *in = arg;
	for (uint32_t i = 0; i < in->n; i++)
		in->list[i].id = 0;
	return sql_script(db, "SET LOCAL synchronous_commit = off", e) &&
	       intern_kernel_find(db, in, e) &&
	       intern_kernel_in_batches(db, in, intern_kernel_missing,
		       "INSERT INTO kernel (sha256, name, mangled, "
		       "short_name, family, defined_in, launched_from, "
		       "source, operator) "
		       "SELECT * FROM " KERNEL_ENTRIES "ORDER BY sha256",
		       e) &&
	       intern_kernel_in_batches(db, in, intern_kernel_stale,
		       "UPDATE kernel k "
		       "SET short_name = s.short_name, family = s.family, "
		       "defined_in = s.defined_in, "
		       "launched_from = s.launched_from, "
		       "source = s.source, "
		       "operator = s.operator "
		       "FROM (SELECT l.id, n.* FROM " KERNEL_ENTRIES
		       "JOIN kernel l ON l.sha256 = n.sha256 "
		       "ORDER BY l.sha256 "
		       "FOR NO KEY UPDATE OF l) s "
		       "WHERE k.id = s.id",
		       e) &&
	       intern_kernel_find(db, in, e);
}

static bool intern_kernel_complete(const struct intern_kernel_list *in)
{
	for (uint32_t i = 0; i < in->n; i++)
		if (intern_kernel_missing(&in->list[i]) ||
			intern_kernel_stale(&in->list[i]))
			return false;
	return true;
}

/* Every kernel of every run, sorted, with the address at which its id is
 * stored. */
static struct intern_kernel *intern_kernel_collect(struct arena *a,
	const struct profile *runs, uint32_t n, int64_t **ids, uint32_t *all)
{
	*all = 0;
	for (uint32_t i = 0; i < n; i++)
		*all += runs[i].kernels_n;
	struct intern_kernel *list = arena_array(a, struct intern_kernel, *all),
			     *en = list;
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = arena_array(a, int64_t, runs[i].kernels_n);
		for (uint32_t k = 0; k < runs[i].kernels_n; k++, en++) {
			en->is = &runs[i].kernels[k];
			en->slot = &ids[i][k];
			sha256_of(en->is->name, strlen(en->is->name),
				en->sha256);
		}
	}
	qsort(list, *all, sizeof *list, intern_by_sha256);
	return list;
}

bool intern_kernels(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, int64_t ***ids, struct err *e)
{
	uint32_t all;
	struct intern_kernel_list in = { 0 };
	*ids = arena_array(a, int64_t *, n);
	struct intern_kernel *list =
		intern_kernel_collect(a, runs, n, *ids, &all);
	in.list = arena_array(a, struct intern_kernel, all);
	for (uint32_t i = 0; i < all; i++)
		if (!in.n || intern_by_sha256(&in.list[in.n - 1], &list[i]))
			in.list[in.n++] = list[i];

	if (!intern_kernel_find(db, &in, e) ||
		(!intern_kernel_complete(&in) &&
			!sql_transaction(db, intern_kernel_add, &in, e)))
		return false;
	for (uint32_t i = 0, at = 0; i < all; i++) {
		at += intern_by_sha256(&in.list[at], &list[i]) != 0;
		*list[i].slot = in.list[at].id;
	}
	return true;
}

struct intern_shape {
	uint8_t sha256[SHA256_BYTES];
	const char *text;
	int64_t *slot; /* where to store its id; 0: not known yet */
};

struct intern_operator_list {
	const struct profile *runs;
	uint32_t n;
	struct operator_ids *ids;
	struct intern_shape *words;
	uint32_t words_n, rows_n; /* rows: operators of all runs */
	struct sql_array operators, dtypes, phases, sha256s;
};

/* The ids of the elements that have one, with their index from 1. */
#define OPERATOR_KEYS                                                 \
	"unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY " \
	"n (operator, dtype, phase, place) "                          \
	"LEFT JOIN operator_key k ON coalesce(k.operator, '') = "     \
	"coalesce(n.operator, '') AND coalesce(k.dtype, '') = "       \
	"coalesce(n.dtype, '') AND coalesce(k.phase, '') = "          \
	"coalesce(n.phase, '') "

static bool intern_find_keys(struct db *db, struct intern_operator_list *m,
	bool *all, struct err *e)
{
	static const char sql[] =
		"SELECT k.id FROM " OPERATOR_KEYS "ORDER BY n.place";
	struct sql_params p = { 0 };
	struct result r;
	sql_array(&p, &m->operators);
	sql_array(&p, &m->dtypes);
	sql_array(&p, &m->phases);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->runs[i].operators.n; k++) {
			bool more = result_next(&r);
			assert(more);
			m->ids[i].keys[k] = more ? result_int8(&r, 0) : 0;
			*all &= m->ids[i].keys[k] > 0;
		}
	result_release(&r);
	return true;
}

static bool intern_find_shapes(struct db *db, struct intern_operator_list *m,
	bool *all, struct err *e)
{
	static const char sql[] = "SELECT s.id "
				  "FROM unnest($1::bytea[]) WITH ORDINALITY "
				  "n (sha256, place) "
				  "LEFT JOIN shape s ON s.sha256 = n.sha256 "
				  "ORDER BY n.place";
	struct sql_params p = { 0 };
	struct result r;
	sql_array(&p, &m->sha256s);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	for (uint32_t i = 0; i < m->words_n; i++) {
		bool more = result_next(&r);
		assert(more);
		*m->words[i].slot = more ? result_int8(&r, 0) : 0;
		*all &= *m->words[i].slot > 0;
	}
	result_release(&r);
	return true;
}

static bool intern_operator_find(struct db *db, struct intern_operator_list *m,
	bool *all, struct err *e)
{
	*all = true;
	return (!m->rows_n || intern_find_keys(db, m, all, e)) &&
	       (!m->words_n || intern_find_shapes(db, m, all, e));
}

static bool intern_add_keys(struct db *db, struct intern_operator_list *m,
	struct err *e)
{
	struct sql_params p = { 0 };
	sql_array(&p, &m->operators);
	sql_array(&p, &m->dtypes);
	sql_array(&p, &m->phases);
	return sql_run(db,
		"INSERT INTO operator_key (operator, dtype, phase) "
		"SELECT DISTINCT n.operator, n.dtype, n.phase FROM " OPERATOR_KEYS
		"WHERE k.id IS NULL "
		"ORDER BY 1, 2, 3",
		&p, NULL, e);
}

/* Adds at most one batch of the shapes without an id, beginning at *at. */
static bool intern_add_shapes(struct db *db,
	const struct intern_operator_list *m, uint32_t *at, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array sha256s, texts;
	sql_array_init(&sha256s, SQL_BYTES);
	sql_array_init(&texts, SQL_TEXT);
	for (; *at < m->words_n && texts.n < BATCH &&
		texts.body.len < BATCH_BYTES;
		++*at) {
		if (*m->words[*at].slot)
			continue;
		sql_array_add(&sha256s, m->words[*at].sha256, SHA256_BYTES);
		sql_array_text(&texts, m->words[*at].text);
	}
	sql_array(&p, &sha256s);
	sql_array(&p, &texts);
	bool ok = !texts.n || sql_run(db,
				      "INSERT INTO shape (sha256, text) "
				      "SELECT DISTINCT n.sha256, n.text "
				      "FROM unnest($1::bytea[], $2::text[]) "
				      "n (sha256, text) "
				      "WHERE NOT EXISTS (SELECT FROM shape s "
				      "WHERE s.sha256 = n.sha256) "
				      "ORDER BY 1",
				      &p, NULL, e);
	sql_array_release(&sha256s);
	sql_array_release(&texts);
	return ok;
}

/* Inserts in the order of the hashes and without waiting for the disk, as
 * intern_kernel_add() does. */
static bool intern_operator_add(struct db *db, void *arg, struct err *e)
{
	struct intern_operator_list *m = arg;
	bool all;
	if (!sql_script(db, "SET LOCAL synchronous_commit = off", e) ||
		!intern_operator_find(db, m, &all, e) ||
		!intern_add_keys(db, m, e))
		return false;
	for (uint32_t at = 0; at < m->words_n;)
		if (!intern_add_shapes(db, m, &at, e))
			return false;
	return intern_operator_find(db, m, &all, e) &&
	       (all || err_set(e, ERR_INTERNAL,
			       "names of operators were not kept"));
}

static void intern_collect_shapes(struct intern_operator_list *m,
	struct arena *a)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < m->n; i++)
		most += m->runs[i].operators.shapes_n;
	m->words = arena_array(a, struct intern_shape, most);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct operators *o = &m->runs[i].operators;
		m->ids[i].shapes = arena_array(a, int64_t, o->shapes_n);
		for (uint32_t k = 0; k < o->shapes_n; k++) {
			if (!o->shapes[k].text)
				continue;
			struct intern_shape *w = &m->words[m->words_n++];
			w->text = o->shapes[k].text;
			w->slot = &m->ids[i].shapes[k];
			sha256_of(w->text, strlen(w->text), w->sha256);
		}
	}
	qsort(m->words, m->words_n, sizeof *m->words, intern_by_sha256);
	for (uint32_t i = 0; i < m->words_n; i++)
		sql_array_add(&m->sha256s, m->words[i].sha256, SHA256_BYTES);
}

static void intern_collect_keys(struct intern_operator_list *m, struct arena *a)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct operators *o = &m->runs[i].operators;
		m->ids[i].keys = arena_array(a, int64_t, o->n);
		m->rows_n += o->n;
		for (uint32_t k = 0; k < o->n; k++) {
			const struct operator_stat *s = &o->rows[k];
			sql_array_text(&m->operators, s->name);
			sql_array_text(&m->dtypes, dtype_word(s->dtype));
			sql_array_text(&m->phases,
				profile_word_phase[s->phase]);
		}
	}
}

bool intern_operators(struct db *db, struct arena *a,
	const struct profile *runs, uint32_t n, struct operator_ids **ids,
	struct err *e)
{
	struct intern_operator_list m = { .runs = runs, .n = n };
	struct sql_array *const arrays[] = { &m.operators, &m.dtypes, &m.phases,
		&m.sha256s };
	bool all;
	m.ids = *ids = arena_array(a, struct operator_ids, n);
	for (int i = 0; i < 4; i++)
		sql_array_init(arrays[i], i < 3 ? SQL_TEXT : SQL_BYTES);
	intern_collect_keys(&m, a);
	intern_collect_shapes(&m, a);
	bool ok = intern_operator_find(db, &m, &all, e) &&
		  (all || sql_transaction(db, intern_operator_add, &m, e));
	for (int i = 0; i < 4; i++)
		sql_array_release(arrays[i]);
	return ok;
}
