/* xplane_field.c - lists that grow, and the values of single fields */
#include "xplane.h"
#include "proto.h"

bool xplane_grow(struct xplane *x, void **at, uint32_t n, uint32_t *cap,
	size_t size)
{
	if (n < *cap)
		return true;
	if (*cap > UINT32_MAX / 2) {
		arena_refuse(x->trace->arena, (size_t)*cap * 2 * size);
		return false;
	}
	uint32_t more = *cap ? *cap * 2 : 64;
	void *list = arena_grow(x->trace->arena, *at, more * size);
	if (!list)
		return false;
	*at = list;
	*cap = more;
	return true;
}

bool xplane_full(struct xplane *x)
{
	x->proto.failed = true;
	return arena_err(x->trace->arena, x->proto.e);
}

/* A text that a window cannot hold is left out. */
uint32_t xplane_text(struct xplane *x)
{
	const char *at;
	size_t len;
	if (!proto_bytes(&x->proto, WINDOW_MAX, &at, &len) || len == 0)
		return 0;
	uint32_t id = text_put(&x->text, at, len, TEXT_MAX);
	if (id == NAMES_NONE) {
		xplane_full(x);
		return 0;
	}
	return id;
}

int64_t xplane_number(const struct xplane *x)
{
	return x->proto.wire == PROTO_VARINT ? (int64_t)x->proto.value : 0;
}
