/* sync_call.c - which calls make the host wait for the device. */
#include "sync_call.h"
#include <string.h>

static const char *const calls[] = {
#define SYNC_CALL(name) #name,
#include "sync_call.def"
#undef SYNC_CALL
};
enum { CALLS = sizeof calls / sizeof *calls };

/* The length without `_v` and digits. */
static size_t sync_call_unversioned(const char *name, size_t len)
{
	size_t n = len;
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n < len && n > 2 && !memcmp(name + n - 2, "_v", 2) ? n - 2 : len;
}

/* The length without the suffix of calls that use per-thread streams. */
static size_t sync_call_without_stream(const char *name, size_t len)
{
	if (len > 5 && (!memcmp(name + len - 5, "_ptsz", 5) ||
			       !memcmp(name + len - 5, "_ptds", 5)))
		return len - 5;
	return len;
}

/* The call's index in the list; CALLS if it is not there. */
static size_t sync_call_index_of(const char *name, size_t len)
{
	len = sync_call_without_stream(name, sync_call_unversioned(name, len));
	size_t i = 0;
	while (i < CALLS &&
		(strlen(calls[i]) != len || memcmp(calls[i], name, len) != 0))
		i++;
	return i;
}

const char *sync_call_of(const char *name, size_t len)
{
	size_t i = sync_call_index_of(name, len);
	return i < CALLS ? calls[i] : NULL;
}

uint32_t *sync_calls_of(const struct trace *t, struct arena *a)
{
	uint32_t first[CALLS];
	uint32_t *of = arena_grow(a, NULL, (size_t)t->names.n * sizeof *of);

	memset(first, 0xff, sizeof first);
	for (uint32_t id = 0; of && id < t->names.n; id++) {
		const struct name *n = &t->names.list[id];
		size_t i = sync_call_index_of(n->text, n->len);
		if (i < CALLS && first[i] == NAMES_NONE)
			first[i] = id;
		of[id] = i < CALLS ? first[i] : NAMES_NONE;
	}
	return of;
}
