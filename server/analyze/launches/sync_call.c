/* sync_call.c - looks up API calls in the list of calls in which the host
 * waits. */
#include "sync_call.h"
#include <string.h>

static const char *const sync_calls[] = {
#define SYNC_CALL(name) #name,
#include "sync_call.def"
#undef SYNC_CALL
};

/* The length without `_v` and digits. */
static size_t sync_call_unversioned(const char *name, size_t len)
{
	size_t n = len;
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n < len && n > 2 && !memcmp(name + n - 2, "_v", 2) ? n - 2 : len;
}

size_t sync_call_bare_len(const char *name, size_t len)
{
	len = sync_call_unversioned(name, len);
	if (len > 5 && (!memcmp(name + len - 5, "_ptsz", 5) ||
			       !memcmp(name + len - 5, "_ptds", 5)))
		return len - 5;
	return len;
}

size_t sync_call_find(const char *name, size_t len)
{
	size_t i = 0;

	len = sync_call_bare_len(name, len);
	while (i < SYNC_CALLS && (strlen(sync_calls[i]) != len ||
					 memcmp(sync_calls[i], name, len) != 0))
		i++;
	return i;
}

const char *sync_call_name(size_t number)
{
	return sync_calls[number];
}
