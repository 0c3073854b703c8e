/* uploads.c - lists uploads, queues them again, and receives new ones.
 *
 * The bytes of an upload are written to the database in chunks while they
 * arrive. An upload needs memory for one chunk and, while a chunk is written,
 * one database connection.
 *
 * A form of several files is stored as a tar archive. The size of a file is
 * known only at its end, and earlier chunks never change. So a member ends with
 * its chunk, and the next chunk begins with a continuation of the file
 * (tar_header.h). The stored bytes depend only on the files. */
#include "listing.h"
#include "api.h"
#include "api_state.h"
#include "audit.h"
#include "audit_record.h"
#include "call.h"
#include "file_magic.h"
#include "log.h"
#include "multipart.h"
#include "provenance.h"
#include "tar_header.h"
#include "upload.h"
#include "view.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- lists uploads and queues them again */

json_t *uploads_get(struct call *c, struct err *e)
{
	int64_t total = -1;
	struct upload_filter f = {
		.project = param_text(&c->params, "project", NULL),
		.state = param_text(&c->params, "state", NULL),
		.limit = (int)param(&c->params, "limit")->whole,
		.total = listing_is_counted(c) ? &total : NULL,
	};
	struct upload_row *rows;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &f.after, e) ||
		!upload_row_list(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_upload(&rows[i]));
		f.after = rows[i].id;
	}
	return listing_total(listing_list(c, items, f.after, more), total);
}

json_t *upload_get(struct call *c, struct err *e)
{
	struct upload_row row;
	if (!call_db(c, e) ||
		!upload_row_get(c->s.db, &c->s.arena, c->id, &row, e))
		return NULL;
	return view_upload(&row);
}

json_t *upload_retry_post(struct call *c, struct err *e)
{
	if (!call_db(c, e) || !upload_retry(c->s.db, c->id, e))
		return NULL;
	return upload_get(c, e);
}

/* ---- receives uploads */

enum { SNIFF_BYTES = 4096 };

struct api_receive {
	struct call call;
	struct upload_meta meta;
	struct multipart *form; /* NULL: the body is the file itself */
	struct sha256 sha;
	unsigned char *chunk; /* UPLOAD_CHUNK bytes */
	size_t chunk_len;
	int64_t bytes, id; /* id 0: nothing is stored yet */
	int32_t seq;
	bool known; /* the format is known, from the first bytes */
	struct api_receive_archive {
		int files; /* number of files that have bytes */
		bool open; /* a member has begun in this chunk */
		bool continued; /* the file began in an earlier chunk */
		size_t header_at; /* where the member begins in the chunk */
		char name[256];
	} archive;
	/* The provenance files as a JSON array, without its last bracket; the
	 * last file begins at provenance_at. */
	struct buf provenance;
	size_t provenance_at;
	const char *provenance_label; /* its name, for sentences */
	int provenances; /* number of files that have begun */
};

static long long uploads_mib(int64_t bytes)
{
	return (bytes >> 20) + (bytes % (1 << 20) != 0);
}

static bool uploads_too_large(const struct api *a, int64_t bytes, struct err *e)
{
	return err_set(e, ERR_TOO_LARGE,
		"the upload is %s%lld MiB; the maximum is %lld MiB, see "
		"--upload-mib",
		bytes < 0 ? "more than " : "",
		uploads_mib(bytes < 0 ? a->is.upload_bytes : bytes),
		uploads_mib(a->is.upload_bytes));
}

/* Rejects an upload by its headers alone, before the body arrives. */
static bool uploads_headers_check(struct api_receive *u,
	const struct api_request *r, struct err *e)
{
	const struct api *a = u->call.api;
	const char *length = r->header(r->ctx, "Content-Length");
	const char *type = r->header(r->ctx, "Content-Type");
	u->form = arena_new(&u->call.s.arena, struct multipart);
	if (!multipart_init(u->form, type, e))
		u->form = NULL;
	if (e->code)
		return false;
	/* The length of a form includes its own lines and provenance files in
	 * addition to the bytes of the file. */
	int64_t bytes = length ? strtoll(length, NULL, 10) : 0;
	int64_t more = u->form ? MULTIPART_HEADERS + PROVENANCE_BYTES_MAX : 0;
	return bytes <= a->is.upload_bytes + more ||
	       uploads_too_large(a, bytes, e);
}

static bool uploads_slot_take(struct api *a, struct err *e)
{
	if (atomic_fetch_add(&a->uploads, 1) < a->is.uploads_max)
		return true;
	atomic_fetch_sub(&a->uploads, 1);
	return err_set(e, ERR_BUSY,
		"%d uploads are already being received, the maximum; try "
		"again later",
		a->is.uploads_max);
}

static void uploads_meta_from(struct upload_meta *m, const struct params *ps)
{
	*m = (struct upload_meta){
		.project = param_text(ps, "project", ""),
		.workload = param_text(ps, "workload", ""),
		.name = param_text(ps, "name", ""),
		.job = param_text(ps, "job", ""),
		.labels = ps->labels ? ps->labels : "{}",
		.file_name = param_text(ps, "file", ""),
		.gpu_hours = param(ps, "gpu_hours")->given
				     ? param(ps, "gpu_hours")->real
				     : (double)NAN,
	};
}

struct api_receive *api_receive_begin(struct api *a,
	const struct api_request *r, struct api_answer *out)
{
	struct err e = { 0 };
	struct api_receive *u = calloc(1, sizeof *u);
	if (!u)
		abort();
	if (call_open(&u->call, a, r, out, &e) &&
		uploads_headers_check(u, r, &e) && uploads_slot_take(a, &e)) {
		call_db_return(&u->call);
		uploads_meta_from(&u->meta, &u->call.params);
		sha256_init(&u->sha);
		u->call.receive = u;
		u->call.request = NULL;
		u->chunk = malloc(UPLOAD_CHUNK);
		if (!u->chunk)
			abort();
		return u;
	}
	call_answer(&u->call, out, &e);
	call_close(&u->call);
	free(u);
	return NULL;
}

static bool uploads_sniff_check(struct api_receive *u, bool whole,
	struct err *e)
{
	if (u->known || (!whole && u->chunk_len < SNIFF_BYTES))
		return true;
	u->known = file_magic_sniff(u->chunk, u->chunk_len, whole, e) !=
		   SNIFF_UNKNOWN;
	return u->known;
}

/* Stores the chunk. A database connection is borrowed only for this. */
static bool uploads_flush(struct api_receive *u, struct err *e)
{
	struct call *c = &u->call;
	if (u->form && !*u->meta.file_name)
		u->meta.file_name = u->form->file_name;
	if (u->form && u->form->several) {
		sha256_add(&u->sha, u->chunk, u->chunk_len);
		u->bytes += (int64_t)u->chunk_len;
	}
	bool ok =
		audit_record_begin(c, e) && call_db(c, e) &&
		(u->id || upload_begin(c->s.db, &u->meta, &u->id, e)) &&
		upload_chunk(c->s.db, u->id, u->seq, u->chunk, u->chunk_len, e);
	call_db_return(c);
	u->seq++;
	u->chunk_len = 0;
	return ok;
}

/* Reads the last provenance file, so that its sender learns at once if it
 * cannot be used. */
static bool uploads_provenance_check(struct api_receive *u, struct err *e)
{
	struct arena a = { .ceiling = (size_t)8 * PROVENANCE_BYTES_MAX };
	struct provenance p;
	if (!u->provenances)
		return true;
	bool ok = provenance_read(u->provenance_label,
		u->provenance.at + u->provenance_at,
		u->provenance.len - u->provenance_at, &a, &p, e);
	arena_release(&a);
	return ok;
}

static bool uploads_provenance_fits(const struct api_receive *u, struct err *e)
{
	return !u->provenance.full ||
	       err_set(e, ERR_TOO_LARGE,
		       "the provenance files are larger than %d MiB, the "
		       "maximum of all of them together",
		       PROVENANCE_BYTES_MAX >> 20);
}

/* Keeps the bytes in memory until the upload is complete. */
static bool uploads_provenance_bytes(struct api_receive *u, const void *bytes,
	size_t len, struct err *e)
{
	if (u->provenances != u->form->provenances) {
		if (!uploads_provenance_check(u, e))
			return false;
		if (!u->provenances)
			buf_init(&u->provenance, PROVENANCE_BYTES_MAX);
		buf_puts(&u->provenance, u->provenances ? "," : "[");
		u->provenances = u->form->provenances;
		u->provenance_at = u->provenance.len;
		u->provenance_label = arena_printf(&u->call.s.arena,
			"provenance file '%s'", u->form->provenance_name);
	}
	buf_add(&u->provenance, bytes, len);
	return uploads_provenance_fits(u, e);
}

static bool uploads_file_bytes(struct api_receive *u, const void *bytes,
	size_t len, struct err *e)
{
	struct api *a = u->call.api;
	const char *s = bytes;
	u->bytes += (int64_t)len;
	if (u->bytes > a->is.upload_bytes)
		return uploads_too_large(a, -1, e);
	sha256_add(&u->sha, bytes, len);
	atomic_fetch_add(&a->metrics.upload_bytes, (long long)len);
	while (len) {
		size_t n = UPLOAD_CHUNK - u->chunk_len;
		n = n < len ? n : len;
		memcpy(u->chunk + u->chunk_len, s, n);
		u->chunk_len += n;
		s += n;
		len -= n;
		if (!uploads_sniff_check(u, false, e) ||
			(u->chunk_len == UPLOAD_CHUNK && !uploads_flush(u, e)))
			return false;
	}
	return true;
}

/* Begins a member, or the continuation of one. Its header is written at its
 * end. */
static void uploads_member_open(struct api_receive *u)
{
	u->archive.open = true;
	u->archive.header_at = u->chunk_len;
	memset(u->chunk + u->chunk_len, 0, TAR_BLOCK);
	u->chunk_len += TAR_BLOCK;
}

/* Ends what has begun in this chunk. The chunk's size is a multiple of a
 * block's, so there is room for the padding. */
static void uploads_member_close(struct api_receive *u)
{
	struct api_receive_archive *m = &u->archive;
	if (!m->open)
		return;
	int64_t size = (int64_t)(u->chunk_len - m->header_at - TAR_BLOCK);
	int64_t padding = tar_header_padding(size);
	tar_header_write(u->chunk + m->header_at, m->name, size,
		m->continued ? TAR_CONTINUED : TAR_FILE);
	memset(u->chunk + u->chunk_len, 0, (size_t)padding);
	u->chunk_len += (size_t)padding;
	m->open = false;
	m->continued = true;
}

/* Ends the file before, and takes the name of the next one. */
static bool uploads_file_begins(struct api_receive *u, struct err *e)
{
	struct api_receive_archive *m = &u->archive;
	const char *name = u->form->file_name;
	const char *slash = strrchr(name, '/');
	if (u->form->files != m->files + 1)
		return err_set(e, ERR_INPUT, "file %d of the form is empty",
			m->files + 1);
	uploads_member_close(u);
	if (u->chunk_len == UPLOAD_CHUNK && !uploads_flush(u, e))
		return false;
	snprintf(m->name, sizeof m->name, "%s", slash ? slash + 1 : name);
	m->files++;
	m->continued = false;
	if (!*u->meta.file_name)
		u->meta.file_name = arena_strdup(&u->call.s.arena, m->name);
	return true;
}

/* Receives bytes of one of several files. */
static bool uploads_files_bytes(struct api_receive *u, const char *s,
	size_t len, struct err *e)
{
	struct api *a = u->call.api;
	u->known = true;
	if (u->bytes + (int64_t)(u->chunk_len + len) > a->is.upload_bytes)
		return uploads_too_large(a, -1, e);
	atomic_fetch_add(&a->metrics.upload_bytes, (long long)len);
	if (u->form->files != u->archive.files && !uploads_file_begins(u, e))
		return false;
	while (len) {
		if (!u->archive.open)
			uploads_member_open(u);
		size_t n = UPLOAD_CHUNK - u->chunk_len;
		n = n < len ? n : len;
		memcpy(u->chunk + u->chunk_len, s, n);
		u->chunk_len += n;
		s += n;
		len -= n;
		if (u->chunk_len < UPLOAD_CHUNK)
			continue;
		uploads_member_close(u);
		if (!uploads_flush(u, e))
			return false;
	}
	return true;
}

/* Writes the end mark: two blocks of zeros. */
static bool uploads_archive_end(struct api_receive *u, struct err *e)
{
	if (u->form->files != u->archive.files)
		return err_set(e, ERR_INPUT, "file %d of the form is empty",
			u->archive.files + 1);
	uploads_member_close(u);
	for (int i = 0; i < 2; i++) {
		if (u->chunk_len == UPLOAD_CHUNK && !uploads_flush(u, e))
			return false;
		memset(u->chunk + u->chunk_len, 0, TAR_BLOCK);
		u->chunk_len += TAR_BLOCK;
	}
	return uploads_flush(u, e);
}

static bool uploads_form_bytes(void *ctx, const void *bytes, size_t len,
	struct err *e)
{
	struct api_receive *u = ctx;
	if (u->form->in_provenance)
		return uploads_provenance_bytes(u, bytes, len, e);
	return u->form->several ? uploads_files_bytes(u, bytes, len, e)
				: uploads_file_bytes(u, bytes, len, e);
}

bool api_receive_bytes(struct api_receive *u, const void *bytes, size_t len,
	struct api_answer *out)
{
	struct err e = { 0 };
	bool ok = u->form ? multipart_feed(u->form, bytes, len,
				    uploads_form_bytes, u, &e)
			  : uploads_file_bytes(u, bytes, len, &e);
	if (ok)
		return true;
	*out = (struct api_answer){ 0 };
	call_answer(&u->call, out, &e);
	return false;
}

static json_t *uploads_view_accepted(const struct upload_outcome *o,
	const char *sha256, int64_t bytes)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:b}", "id", view_whole(o->id),
		"state", o->state, "sha256", sha256, "bytes", view_whole(bytes),
		"existing", o->existing);
}

/* The handler of POST /uploads. It runs after the body has been stored. */
json_t *upload_post(struct call *c, struct err *e)
{
	struct api_receive *u = c->receive;
	struct upload_outcome o;
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	assert(u); /* because of api_body_max(), http/ streams the body */
	if (u->form && !multipart_end(u->form, e))
		return NULL;
	if (u->form && u->form->several && !uploads_archive_end(u, e))
		return NULL;
	if (!u->bytes) {
		err_set(e, ERR_INPUT,
			"the upload is empty; send the trace file as the body");
		return NULL;
	}
	if (!uploads_provenance_check(u, e) ||
		!uploads_sniff_check(u, true, e) ||
		(u->chunk_len && !uploads_flush(u, e)))
		return NULL;
	if (u->provenances)
		buf_puts(&u->provenance, "]");
	if (!uploads_provenance_fits(u, e))
		return NULL;
	sha256_end(&u->sha, digest);
	sha256_hex(digest, hex);
	if (!call_db(c, e) ||
		!upload_finish(c->s.db, u->id, digest, u->bytes,
			u->provenances ? u->provenance.at : NULL, &o, e))
		return NULL;
	u->id = 0; /* this request must not delete the upload any more */
	c->status = o.existing ? 200 : 202;
	snprintf(c->location, sizeof c->location, "/api/v1/uploads/%lld",
		(long long)o.id);
	return uploads_view_accepted(&o, hex, u->bytes);
}

void api_receive_end(struct api_receive *u, struct api_answer *out)
{
	struct err e = { 0 }, why = { 0 };
	struct call *c = &u->call;
	if (out) {
		*out = (struct api_answer){ 0 };
		call_answer(c, out, &why);
	}
	if (u->id && !(call_db(c, &e) && upload_abort(c->s.db, u->id, &e)))
		log_warn("abort upload=%lld text=\"%s\"", (long long)u->id,
			e.text); /* the sweep will find it */
	audit_record_end(c,
		AUDIT_GONE); /* of one that was answered there is none */
	call_close(c);
	atomic_fetch_sub(&c->api->uploads, 1);
	if (u->provenances)
		buf_release(&u->provenance);
	free(u->chunk);
	free(u);
}
