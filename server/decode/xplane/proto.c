/* proto.c - the wire format of protobuf */
#include "proto.h"
#include <assert.h>

enum { VARINT_MOST = 10 };

int64_t proto_offset(const struct proto *p)
{
	const struct byte_window *w = p->window;
	return w->plain->out - (w->end - w->at);
}

void proto_init(struct proto *p, struct byte_window *w, struct err *e)
{
	*p = (struct proto){ .window = w, .e = e };
	p->stop[0] = INT64_MAX;
	p->behind = proto_offset(p);
}

/* Reads until `n` bytes are in the window, or the file ends. */
static size_t proto_room(struct proto *p, size_t n)
{
	struct byte_window *w = p->window;
	enum window_state state = WINDOW_MORE;
	while ((size_t)(w->end - w->at) < n && state == WINDOW_MORE)
		state = byte_window_more(w, p->e);
	p->failed |= state == WINDOW_ERR;
	return (size_t)(w->end - w->at);
}

/* Moves to an offset that is not before the current one. */
static bool proto_to(struct proto *p, int64_t offset)
{
	struct byte_window *w = p->window;
	for (;;) {
		int64_t far = offset - proto_offset(p), have = w->end - w->at;
		if (far <= have) {
			w->at += far;
			return true;
		}
		w->at = w->end;
		enum window_state state = byte_window_more(w, p->e);
		p->failed |= state == WINDOW_ERR;
		p->cut |= state == WINDOW_END;
		if (state != WINDOW_MORE)
			return false;
	}
}

/* Gives up the open message. Nothing behind a damaged outermost message can be
 * found. */
static bool proto_damaged(struct proto *p)
{
	if (p->bad++ == 0)
		p->bad_at = proto_offset(p);
	p->behind = p->stop[p->depth];
	p->cut |= p->depth == 0;
	return false;
}

static bool proto_varint(struct proto *p, uint64_t *value)
{
	size_t have = proto_room(p, VARINT_MOST);
	int64_t left = p->stop[p->depth] - proto_offset(p);
	const unsigned char *at = (const unsigned char *)p->window->at;
	*value = 0;
	for (size_t i = 0; i < VARINT_MOST; i++) {
		if (i >= have && (int64_t)i < left) {
			p->cut = true;
			return false;
		}
		if ((int64_t)i >= left || (i == VARINT_MOST - 1 && at[i] > 1))
			break;
		*value |= (uint64_t)(at[i] & 0x7F) << 7 * i;
		if (at[i] < 0x80) {
			p->window->at += i + 1;
			return true;
		}
	}
	return proto_damaged(p);
}

/* A number of 4 or 8 bytes, the lowest first. */
static bool proto_fixed(struct proto *p, size_t bytes)
{
	if (p->stop[p->depth] - proto_offset(p) < (int64_t)bytes)
		return proto_damaged(p);
	if (proto_room(p, bytes) < bytes) {
		p->cut = true;
		return false;
	}
	const unsigned char *at = (const unsigned char *)p->window->at;
	p->value = 0;
	for (size_t i = 0; i < bytes; i++)
		p->value |= (uint64_t)at[i] << 8 * i;
	p->window->at += bytes;
	return true;
}

static bool proto_content(struct proto *p)
{
	switch (p->wire) {
	case PROTO_VARINT:
		return proto_varint(p, &p->value);
	case PROTO_FIXED64:
		return proto_fixed(p, 8);
	case PROTO_FIXED32:
		return proto_fixed(p, 4);
	case PROTO_BYTES:
		break;
	default:
		return proto_damaged(p);
	}
	if (!proto_varint(p, &p->value))
		return false;
	uint64_t left = (uint64_t)(p->stop[p->depth] - proto_offset(p));
	return p->value <= left || proto_damaged(p);
}

bool proto_next(struct proto *p)
{
	uint64_t key;
	if (p->cut || p->failed || !proto_to(p, p->behind) ||
		p->behind >= p->stop[p->depth])
		return false;
	if (proto_room(p, 1) == 0) {
		p->cut |= p->depth > 0;
		return false;
	}
	if (!proto_varint(p, &key))
		return false;
	p->field = key >> 3 <= UINT32_MAX ? (uint32_t)(key >> 3) : 0;
	p->wire = (enum proto_wire)(key & 7);
	if (p->field == 0)
		return proto_damaged(p);
	if (!proto_content(p))
		return false;
	p->behind = proto_offset(p) +
		    (p->wire == PROTO_BYTES ? (int64_t)p->value : 0);
	return true;
}

bool proto_enter(struct proto *p)
{
	if (p->wire != PROTO_BYTES)
		return false;
	assert(p->depth + 1 < PROTO_DEPTH);
	p->stop[++p->depth] = p->behind;
	p->behind = proto_offset(p);
	return true;
}

void proto_leave(struct proto *p)
{
	assert(p->depth > 0);
	p->behind = p->stop[p->depth--];
	p->wire = PROTO_VARINT;
	if (!p->cut && !p->failed)
		proto_to(p, p->behind);
}

bool proto_bytes(struct proto *p, size_t max, const char **at, size_t *len)
{
	if (p->wire != PROTO_BYTES || p->value > max || p->value > WINDOW_MAX)
		return false;
	*len = (size_t)p->value;
	if (proto_room(p, *len) < *len) {
		p->cut |= !p->failed;
		return false;
	}
	*at = p->window->at;
	return true;
}

bool proto_packed(struct proto *p)
{
	if (p->cut || p->failed || p->behind >= p->stop[p->depth] ||
		!proto_varint(p, &p->value))
		return false;
	p->wire = PROTO_VARINT;
	p->behind = proto_offset(p);
	return true;
}
