/* intern_matter.c - operators, types and phases; sizes as text: look up, insert,
 * look again. */
#include "intern_matter.h"
#include "profile_word.h"
#include "sha256.h"
#include "sql.h"
#include <assert.h>

/* Texts of one statement, so that no parameter grows without end. */
enum { BATCH = 4096, BATCH_BYTES = 8 << 20 };

struct shape_word {
	uint8_t sha256[SHA256_BYTES];
	const char *text;
	int64_t *slot; /* where its id goes; 0 there: not known yet */
};

struct matters {
	const struct profile *runs;
	uint32_t n;
	struct matter_ids *ids;
	struct shape_word *words;
	uint32_t words_n, rows_n; /* rows: operators of all runs */
	struct sql_array operators, dtypes, phases, sha256s;
};

/* The id of each element that has one, by its place from 1. */
#define KEYS                                                          \
	"unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY " \
	"n (operator, dtype, phase, place) "                          \
	"LEFT JOIN operator_key k ON coalesce(k.operator, '') = "     \
	"coalesce(n.operator, '') AND coalesce(k.dtype, '') = "       \
	"coalesce(n.dtype, '') AND coalesce(k.phase, '') = "          \
	"coalesce(n.phase, '') "

static bool find_keys(struct db *db, struct matters *m, bool *all,
	struct err *e)
{
	static const char sql[] = "SELECT k.id FROM " KEYS "ORDER BY n.place";
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

static bool find_shapes(struct db *db, struct matters *m, bool *all,
	struct err *e)
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

static bool find(struct db *db, struct matters *m, bool *all, struct err *e)
{
	*all = true;
	return (!m->rows_n || find_keys(db, m, all, e)) &&
	       (!m->words_n || find_shapes(db, m, all, e));
}

static bool add_keys(struct db *db, struct matters *m, struct err *e)
{
	struct sql_params p = { 0 };
	sql_array(&p, &m->operators);
	sql_array(&p, &m->dtypes);
	sql_array(&p, &m->phases);
	return sql_run(db,
		"INSERT INTO operator_key (operator, dtype, phase) "
		"SELECT DISTINCT n.operator, n.dtype, n.phase FROM " KEYS
		"WHERE k.id IS NULL "
		"ORDER BY 1, 2, 3",
		&p, NULL, e);
}

/* Those without an id from *at, as far as a batch goes. */
static bool add_batch(struct db *db, const struct matters *m, uint32_t *at,
	struct err *e)
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

/* In the order of their hashes, as others do it; its commit need not wait for
 * the disk: nobody refers to them before the save, whose commit does. */
static bool add(struct db *db, void *arg, struct err *e)
{
	struct matters *m = arg;
	bool all;
	if (!sql_script(db, "SET LOCAL synchronous_commit = off", e) ||
		!find(db, m, &all, e) || !add_keys(db, m, e))
		return false;
	for (uint32_t at = 0; at < m->words_n;)
		if (!add_batch(db, m, &at, e))
			return false;
	return find(db, m, &all, e) &&
	       (all || err_set(e, ERR_INTERNAL,
			       "names of operators were not kept"));
}

static int by_sha256(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_BYTES);
}

static void collect_words(struct matters *m, struct arena *a)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < m->n; i++)
		most += m->runs[i].operators.shapes_n;
	m->words = arena_array(a, struct shape_word, most);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct operators *o = &m->runs[i].operators;
		m->ids[i].shapes = arena_array(a, int64_t, o->shapes_n);
		for (uint32_t k = 0; k < o->shapes_n; k++) {
			if (!o->shapes[k].text)
				continue;
			struct shape_word *w = &m->words[m->words_n++];
			w->text = o->shapes[k].text;
			w->slot = &m->ids[i].shapes[k];
			sha256_of(w->text, strlen(w->text), w->sha256);
		}
	}
	qsort(m->words, m->words_n, sizeof *m->words, by_sha256);
	for (uint32_t i = 0; i < m->words_n; i++)
		sql_array_add(&m->sha256s, m->words[i].sha256, SHA256_BYTES);
}

static void collect_keys(struct matters *m, struct arena *a)
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

bool intern_matters(struct db *db, struct arena *a, const struct profile *runs,
	uint32_t n, struct matter_ids **ids, struct err *e)
{
	struct matters m = { .runs = runs, .n = n };
	struct sql_array *const arrays[] = { &m.operators, &m.dtypes, &m.phases,
		&m.sha256s };
	bool all;
	m.ids = *ids = arena_array(a, struct matter_ids, n);
	for (int i = 0; i < 4; i++)
		sql_array_init(arrays[i], i < 3 ? SQL_TEXT : SQL_BYTES);
	collect_keys(&m, a);
	collect_words(&m, a);
	bool ok = find(db, &m, &all, e) &&
		  (all || sql_transaction(db, add, &m, e));
	for (int i = 0; i < 4; i++)
		sql_array_release(arrays[i]);
	return ok;
}
