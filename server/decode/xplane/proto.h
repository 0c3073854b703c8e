/* proto.h - reads protobuf messages of any length from a window, one field at a
 * time.
 *
 *   while (proto_next(p))
 *           switch (p->field) {
 *           case 1: number = p->value; break;
 *           case 2: if (proto_enter(p)) { …; proto_leave(p); } break;
 *           }
 *
 * A field that the caller does not read is skipped. The depth is bounded by the
 * caller, who only enters messages that he knows; no function recurses. A
 * message that is no protobuf is left at its end, and counted. */
#pragma once
#include "byte_window.h"

enum { PROTO_DEPTH = 16 };

/* The wire types; the others are obsolete. */
enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5,
};

struct proto {
	struct byte_window *window;
	struct err *e;
	int64_t stop[PROTO_DEPTH]; /* offsets where the open messages end */
	int depth;
	/* the current field; `value` is the length of PROTO_BYTES */
	uint32_t field;
	enum proto_wire wire;
	uint64_t value;
	int64_t behind; /* the offset of the next field */
	int64_t bad; /* messages that are no protobuf */
	int64_t bad_at; /* the offset in the first of them */
	bool cut; /* the file ended inside a message */
	bool failed; /* *e was set */
};

void proto_init(struct proto *p, struct byte_window *w, struct err *e);

/* Moves to the next field of the open message. False at the message's end, and
 * if `cut` or `failed` was set. */
bool proto_next(struct proto *p);

/* Opens the current field as a message. False if it is none. */
bool proto_enter(struct proto *p);
/* Moves to the end of the open message, and to its parent. */
void proto_leave(struct proto *p);

/* The bytes of the current field, valid until the next call. False if the field
 * has none, is longer than `max`, or the file ends before. */
bool proto_bytes(struct proto *p, size_t max, const char **at, size_t *len);

/* Moves to the next number of a packed list of varints, which proto_enter() has
 * opened. False at its end. */
bool proto_packed(struct proto *p);

/* Number of bytes of the file before the current position. */
int64_t proto_offset(const struct proto *p);
