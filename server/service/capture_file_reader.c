/* capture_file_reader.c - for each piece: borrows a connection, reads the
 * piece, returns the connection. */
#include "capture_file_reader.h"
#include "log.h"
#include "query.h"
#include <stdlib.h>
#include <string.h>

enum { READERS_MAX = 64 }; /* maximum number at a time: 64 MiB */

struct capture_file_reader {
	struct service *service;
	int64_t run, edition;
	int32_t seq; /* number of the next piece */
	size_t at, len; /* the part of the piece that is not yet read */
	bool broke;
	unsigned char bytes[CAPTURE_PIECE];
};

static bool capture_file_reader_piece(struct capture_file_reader *p,
	struct db *db, struct err *e)
{
	p->at = p->len = 0;
	return query_capture(db, p->run, p->seq++, &p->edition, p->bytes,
		&p->len, e);
}

static bool capture_file_reader_slot_take(struct service *s, struct err *e)
{
	if (atomic_fetch_add(&s->captures, 1) < READERS_MAX)
		return true;
	atomic_fetch_sub(&s->captures, 1);
	return err_set(e, ERR_BUSY,
		"%d captures are already being sent, the maximum; try again "
		"later",
		READERS_MAX);
}

struct capture_file_reader *capture_file_reader_new(struct service_call *c,
	int64_t run, struct err *e)
{
	if (!capture_file_reader_slot_take(c->service, e))
		return NULL;
	struct capture_file_reader *p = malloc(sizeof *p);
	if (!p)
		abort();
	p->service = c->service;
	p->run = run;
	p->edition = 0;
	p->seq = 0;
	p->broke = false;
	if (service_db(c, e) && capture_file_reader_piece(p, c->db, e))
		return p;
	capture_file_reader_free(p);
	return NULL;
}

/* Ends the reading. The run was deleted or analyzed again while it was sent, or
 * no connection was free, so nobody needs to act. */
static void capture_file_reader_stop(struct capture_file_reader *p,
	const char *why)
{
	log_info("capture run=%lld text=\"%s\"", (long long)p->run, why);
	p->broke = true;
}

void capture_file_reader_fail(struct capture_file_reader *p, const char *why)
{
	if (!p->broke)
		log_error("capture run=%lld text=\"%s\"", (long long)p->run,
			why);
	p->broke = true;
}

int64_t capture_file_reader_read(void *reader, void *to, size_t cap)
{
	struct capture_file_reader *p = reader;
	if (p->at == p->len && !p->broke) {
		struct err e = { 0 };
		struct service_call c = { .service = p->service };
		bool ok = service_db(&c, &e) &&
			  capture_file_reader_piece(p, c.db, &e);
		service_db_return(&c);
		if (!ok && (e.code == ERR_NOT_FOUND || e.code == ERR_CONFLICT ||
				   e.code == ERR_BUSY))
			capture_file_reader_stop(p, e.text);
		else if (!ok)
			capture_file_reader_fail(p, e.text);
	}
	if (p->broke)
		return -1;
	size_t n = p->len - p->at < cap ? p->len - p->at : cap;
	memcpy(to, p->bytes + p->at, n);
	p->at += n;
	return (int64_t)n;
}

void capture_file_reader_free(void *reader)
{
	struct capture_file_reader *p = reader;
	if (!p)
		return;
	atomic_fetch_sub(&p->service->captures, 1);
	free(p);
}
