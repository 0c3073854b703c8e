/* derived_capture.c - cuts what a writer tells into rows, one piece in memory.
 *
 * A statement a piece: one that lasted as long as the writing does would run
 * into the time limit of a statement. */
#include "derived_capture.h"
#include "query.h"
#include "sql.h"
#include <stdlib.h>

struct capture {
	struct db *db;
	int64_t run;
	int32_t seq;
	size_t len;
	uint8_t *piece; /* CAPTURE_PIECE bytes */
};

static bool flush(struct capture *c, struct err *e)
{
	static const char sql[] = "INSERT INTO run_capture (run_id, seq, bytes)"
				  " VALUES ($1, $2, $3)";
	struct sql_params p = { 0 };
	sql_int8(&p, c->run);
	sql_int4(&p, c->seq++);
	sql_bytes(&p, c->piece, c->len);
	c->len = 0;
	return sql_hot(c->db, sql, &p, NULL, e);
}

static bool put(void *to, const void *bytes, size_t len, struct err *e)
{
	struct capture *c = to;
	const uint8_t *at = bytes;
	while (len) {
		size_t n = CAPTURE_PIECE - c->len;
		if (n > len)
			n = len;
		memcpy(c->piece + c->len, at, n);
		c->len += n;
		at += n;
		len -= n;
		if (c->len == CAPTURE_PIECE && !flush(c, e))
			return false;
	}
	return true;
}

bool derived_capture(struct db *db, const struct captures *c,
	const struct derived_run *runs, uint32_t n, struct err *e)
{
	bool ok = true;
	struct capture to = { .db = db };
	if (!c)
		return true;
	to.piece = malloc(CAPTURE_PIECE);
	if (!to.piece)
		return err_set(e, ERR_BUSY,
			"this machine has no memory left to store a capture");
	for (uint32_t i = 0; ok && i < n; i++) {
		to.run = runs[i].id;
		to.seq = 0;
		ok = !to.run || (c->write(c->ctx, i, put, &to, e) &&
					(!to.len || flush(&to, e)));
	}
	free(to.piece);
	return ok;
}
