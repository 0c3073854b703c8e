/* gunzip.c - gzip by ISA-L, which stops after a member and calls that success:
 * members are looped over and the end is demanded. */
#include "plain.h"
#include <isa-l/igzip_lib.h>

enum { AT_ONCE = 1 << 30 };

static bool gunzip_start(struct plain *p, struct err *e)
{
	p->state = arena_grow(p->arena, NULL, sizeof(struct inflate_state));
	return p->state || arena_err(p->arena, e);
}

static void gunzip_stop(struct plain *p)
{
	arena_drop(p->arena, p->state);
}

static bool damaged(struct plain *p, int code, struct err *e)
{
	bool header =
		code == ISAL_INVALID_WRAPPER || code == ISAL_UNSUPPORTED_METHOD;
	if (header && p->member_at > 0)
		return plain_garbage(p, e);
	plain_end(p,
		code == ISAL_INCORRECT_CHECKSUM ? NOTE_checksum : NOTE_damaged);
	return true;
}

static void member(struct plain *p)
{
	struct inflate_state *z = p->state;
	isal_inflate_init(z);
	z->crc_flag = ISAL_GZIP;
	plain_member(p);
}

static bool gunzip_step(struct plain *p, unsigned char **to, unsigned char *end,
	struct err *e)
{
	struct inflate_state *z = p->state;
	if (!p->open) {
		member(p);
		if (*p->in != 0x1F)
			return plain_garbage(p, e);
	}
	z->next_in = (uint8_t *)(uintptr_t)p->in;
	z->avail_in = p->in_len < AT_ONCE ? (uint32_t)p->in_len : AT_ONCE;
	z->next_out = *to;
	z->avail_out = (uint32_t)(end - *to);
	int code = isal_inflate(z);
	size_t taken = (size_t)(z->next_in - p->in);
	bool stuck = taken == 0 && z->next_out == *to;
	plain_take(p, taken);
	*to = z->next_out;
	if (code < 0)
		return damaged(p, code, e);
	if (z->block_state == ISAL_BLOCK_FINISH)
		p->open = false;
	else if (stuck)
		plain_stuck(p);
	return true;
}

const struct plain_method plain_gzip = { "gzip", gunzip_start, gunzip_step,
	gunzip_stop };
