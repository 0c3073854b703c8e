/* retention_fixture.h - makes uploads and runs of a known age and size, and
 * lists what is left of them. */
#pragma once
#include "fixture.h"
#include "retention.h"

static struct db *kept_db;

static inline int kept_setup(void **state)
{
	kept_db = *state = fixture_db();
	fixture_script(kept_db, "TRUNCATE gate");
	return 0;
}

static inline int kept_teardown(void **state)
{
	db_free(*state);
	return 0;
}

/* A statement about one row: %lld is its id. */
#define kept_do(id, sql)                                           \
	do {                                                       \
		char text[600];                                    \
		snprintf(text, sizeof text, sql, (long long)(id)); \
		fixture_script(kept_db, text);                     \
	} while (0)

/* Queued: `mib` of bytes, sent so many days ago. */
static inline int64_t kept_queued(const char *name, const char *project,
	const char *labels, int days, int mib)
{
	struct upload_meta m = { project, "w", name, "", labels, "", NAN };
	struct upload_outcome out;
	uint8_t sha256[SHA256_BYTES];
	static char bytes[UPLOAD_CHUNK];
	char age[200];
	int64_t id;
	sha256_of(name, strlen(name), sha256);
	works(upload_begin(kept_db, &m, &id, &e));
	for (int i = 0; i < mib; i++)
		works(upload_chunk(kept_db, id, i, bytes, sizeof bytes, &e));
	works(upload_finish(kept_db, id, sha256, (int64_t)mib << 20, NULL, &out,
		&e));
	assert_int_equal(out.id, id);
	snprintf(age, sizeof age,
		"UPDATE upload SET received_at = now() - interval '%d days' "
		"WHERE id = %lld",
		days, (long long)id);
	fixture_script(kept_db, age);
	return id;
}

/* Makes an upload like kept_queued(), but completed and with `runs` runs of
 * its age. The capture file of the first run has `captured` MiB. */
static inline int64_t kept_done(const char *name, const char *project,
	const char *labels, int days, int mib, uint32_t runs, int captured)
{
	int64_t id = kept_queued(name, project, labels, days, mib);
	struct claim c = fixture_claim(kept_db, id);
	struct arena a = { 0 };
	struct profile *p = arena_array(&a, struct profile, runs);
	for (uint32_t i = 0; i < runs; i++)
		p[i] = fixture_profile(&a);
	works(save(kept_db, &c, p, runs, NULL, &e));
	arena_release(&a);
	char text[500];
	snprintf(text, sizeof text,
		"UPDATE run SET created_at = now() - interval '%d days' WHERE "
		"upload_id = %lld; UPDATE run_identity SET created_at = now() "
		"- interval '%d days' WHERE upload_id = %lld",
		days, (long long)id, days, (long long)id);
	fixture_script(kept_db, text);
	snprintf(text, sizeof text,
		"INSERT INTO run_capture SELECT run_id, s, "
		"decode(repeat('00', 1048576), 'hex') FROM run, "
		"generate_series(0, %d) s WHERE upload_id = %lld "
		"AND ordinal = 0",
		captured - 1, (long long)id);
	fixture_script(kept_db, text);
	return id;
}

static inline int64_t kept_failed(const char *name, const char *project,
	const char *labels, int days)
{
	int64_t id = kept_queued(name, project, labels, days, 1);
	struct claim c = fixture_claim(kept_db, id);
	works(upload_fail(kept_db, &c, &(struct err){ ERR_TRACE, "no trace" },
		&e));
	return id;
}

/* "uploads with bytes | their runs", by name. */
static inline const char *kept_left(struct arena *a)
{
	struct result r;
	works(sql_run(kept_db,
		"SELECT coalesce((SELECT string_agg(name, ' ' ORDER BY name) "
		"FROM upload u WHERE EXISTS (SELECT FROM upload_chunk c "
		"WHERE c.upload_id = u.id)), '') || ' | ' || "
		"coalesce((SELECT string_agg(name, ' ' ORDER BY name, run_id) "
		"FROM run), '')",
		NULL, &r, &e));
	result_next(&r);
	const char *text = result_text(&r, a);
	result_release(&r);
	return text;
}

/* "project kind why n MiB; …" */
static inline const char *kept_report(struct arena *a,
	const struct retention_report *r)
{
	const char *text = "";
	for (uint32_t i = 0; i < r->sums_n; i++)
		text = arena_printf(a, "%s%s%s %s %s %lld %lld", text,
			i ? "; " : "", r->sums[i].project,
			retention_kind_word(r->sums[i].kind),
			retention_reason_word(r->sums[i].why),
			(long long)r->sums[i].n,
			(long long)r->sums[i].bytes >> 20);
	return text;
}

/* Lists what would be deleted and then deletes it. Both lists must be equal,
 * nothing on the list may remain, and no sum may contain deleted runs. */
static inline const char *kept_vacuum(struct arena *a,
	const struct retention_request *ask)
{
	struct retention_report dry, real, then;
	const char *before = kept_left(a);
	works(retention_vacuum(kept_db, a, ask, true, NULL, NULL, &dry, &e));
	assert_string_equal(kept_left(a), before);
	works(retention_vacuum(kept_db, a, ask, false, NULL, NULL, &real, &e));
	assert_string_equal(kept_report(a, &real), kept_report(a, &dry));
	assert_int_equal(real.left, 0);
	works(retention_vacuum(kept_db, a, ask, true, NULL, NULL, &then, &e));
	assert_string_equal(kept_report(a, &then), "");
	return kept_report(a, &real);
}

static const struct retention_request kept_as_stored = { NULL, -1, -1, -1 };
