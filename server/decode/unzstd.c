/* unzstd.c - zstd, frame after frame. */
#include "plain.h"
#include <zstd.h>
#include <zstd_errors.h>

/* Frames that want to look back further (--long, --ultra) would cost more
 * memory than an ingest may take. */
enum { WINDOW_LOG = 25, STATE_BYTES = 1 << 18 };

static bool unzstd_start(struct plain *p, struct err *e)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	p->state = z;
	if (!z) {
		arena_refuse(p->arena, STATE_BYTES);
		return arena_err(p->arena, e);
	}
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG);
	return true;
}

static void unzstd_stop(struct plain *p)
{
	ZSTD_freeDCtx(p->state);
}

static bool short_of_memory(size_t code)
{
	return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
}

static bool damaged(struct plain *p, size_t code, struct err *e)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_set(e, ERR_TOO_LARGE,
			"the zstd data looks back further than %d MiB; "
			"compress it without --long and --ultra",
			1 << (WINDOW_LOG - 20));
	case ZSTD_error_memory_allocation:
		arena_refuse(p->arena, (size_t)1 << WINDOW_LOG);
		return arena_err(p->arena, e);
	case ZSTD_error_checksum_wrong:
		plain_end(p, NOTE_checksum);
		return true;
	default:
		plain_end(p, NOTE_damaged);
		return true;
	}
}

static bool unzstd_step(struct plain *p, unsigned char **to, unsigned char *end,
	struct err *e)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { *to, (size_t)(end - *to), 0 };
	bool behind = !p->open && p->stored > 0;
	if (!p->open)
		plain_member(p);
	size_t code = ZSTD_decompressStream(p->state, &out, &in);
	plain_take(p, in.pos);
	*to += out.pos;
	if (ZSTD_isError(code))
		return behind && !short_of_memory(code) ? plain_garbage(p, e)
							: damaged(p, code, e);
	p->open = code != 0;
	if (p->open && in.pos == 0 && out.pos == 0)
		plain_stuck(p);
	return true;
}

const struct plain_method plain_zstd = { "zstd", unzstd_start, unzstd_step,
	unzstd_stop };
