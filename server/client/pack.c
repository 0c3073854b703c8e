/* pack.c - zstd and ISA-L's gzip behind one pair of calls. */
#include "pack.h"
#include <isa-l/igzip_lib.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 3, GZIP_LEVEL = 1 };

struct pack {
	enum pack_kind kind;
	ZSTD_CCtx *zstd;
	ZSTD_inBuffer in;
	bool last, done;
	struct isal_zstream gzip;
	unsigned char level_buf[ISAL_DEF_LVL1_DEFAULT];
};

enum pack_kind pack_kind(const char *name)
{
	return !strcmp(name, "zstd")   ? PACK_ZSTD
	       : !strcmp(name, "gzip") ? PACK_GZIP
				       : PACK_NONE;
}

enum pack_kind pack_found(const void *first, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		enum pack_kind kind;
	} all[] = { { "\x1f\x8b", 2, PACK_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, PACK_ZSTD }, { "BZh", 3, PACK_OTHER },
		{ "\xfd"
		  "7zXZ",
			5, PACK_OTHER },
		{ "PK\x03\x04", 4, PACK_OTHER },
		{ "\x04\x22\x4d\x18", 4, PACK_OTHER },
		{ "7z\xbc\xaf\x27\x1c", 6, PACK_OTHER } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (len >= all[i].len &&
			!memcmp(first, all[i].magic, all[i].len))
			return all[i].kind;
	}
	return PACK_NONE;
}

static void pack_gzip_begin(struct pack *p)
{
	isal_deflate_init(&p->gzip);
	p->gzip.level = GZIP_LEVEL;
	p->gzip.level_buf = p->level_buf;
	p->gzip.level_buf_size = sizeof p->level_buf;
	p->gzip.gzip_flag = IGZIP_GZIP;
}

struct pack *pack_new(enum pack_kind kind)
{
	struct pack *p = calloc(1, sizeof *p);
	if (!p)
		abort();
	p->kind = kind;
	if (kind == PACK_ZSTD && !(p->zstd = ZSTD_createCCtx()))
		abort();
	pack_restart(p);
	return p;
}

void pack_free(struct pack *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

void pack_restart(struct pack *p)
{
	p->in = (ZSTD_inBuffer){ 0 };
	p->last = p->done = false;
	if (p->kind == PACK_GZIP) {
		pack_gzip_begin(p);
		return;
	}
	ZSTD_CCtx_reset(p->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
}

void pack_add(struct pack *p, const void *piece, size_t len, bool last)
{
	p->last = last;
	if (p->kind == PACK_GZIP) {
		/* it only reads; the type lacks a const */
		p->gzip.next_in = (unsigned char *)(uintptr_t)piece;
		p->gzip.avail_in = (uint32_t)len;
		p->gzip.end_of_stream = last;
	} else {
		p->in = (ZSTD_inBuffer){ piece, len, 0 };
	}
}

static bool pack_gzip_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	p->gzip.next_out = out;
	p->gzip.avail_out = (uint32_t)room;
	int rc = isal_deflate(&p->gzip);
	if (rc != COMP_OK)
		return err_set(e, ERR_INTERNAL, "gzip failed (%d)", rc);
	*len = room - p->gzip.avail_out;
	p->done = p->gzip.internal_state.state == ZSTATE_END;
	return true;
}

static bool pack_zstd_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	ZSTD_outBuffer o = { out, room, 0 };
	size_t rest = ZSTD_compressStream2(p->zstd, &o, &p->in,
		p->last ? ZSTD_e_end : ZSTD_e_continue);
	if (ZSTD_isError(rest))
		return err_set(e, ERR_INTERNAL, "zstd failed (%s)",
			ZSTD_getErrorName(rest));
	*len = o.pos;
	p->done = p->last && rest == 0;
	return true;
}

bool pack_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	for (;;) {
		bool used_up = p->kind == PACK_GZIP ? !p->gzip.avail_in
						    : p->in.pos == p->in.size;
		if (p->done || (used_up && !p->last))
			return true;
		if (!(p->kind == PACK_GZIP
				    ? pack_gzip_next(p, out, room, len, e)
				    : pack_zstd_next(p, out, room, len, e)))
			return false;
		if (*len)
			return true;
	}
}
