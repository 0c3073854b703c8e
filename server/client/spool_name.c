/* spool_name.c - read from the right: a host's name may hold dashes. */
#include "spool_name.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

static bool ends(const char *name, size_t *len, const char *with)
{
	size_t n = strlen(with);

	if (*len <= n || memcmp(name + *len - n, with, n) != 0)
		return false;
	*len -= n;
	return true;
}

/* The number that name ends in, and the dash before it. */
static bool number(const char *name, size_t *len, uint64_t *to)
{
	size_t from = *len;
	uint64_t scale = 1;

	*to = 0;
	while (from && isdigit((unsigned char)name[from - 1])) {
		uint64_t digit = (uint64_t)(name[--from] - '0');
		uint64_t part;
		if (__builtin_mul_overflow(digit, scale, &part) ||
			__builtin_add_overflow(*to, part, to) ||
			*len - from > 19)
			return false;
		scale *= 10;
	}
	if (from == *len || from < 2 || name[from - 1] != '-')
		return false;
	*len = from - 1;
	return true;
}

struct spool_name spool_name_from(const char *name)
{
	struct spool_name n = { .kind = SPOOL_WHOLE };
	size_t len = strlen(name);

	if (ends(name, &len, ".part"))
		n.kind = SPOOL_PART;
	else if (ends(name, &len, ".tail"))
		n.kind = SPOOL_TAIL;
	else if (ends(name, &len, ".merging"))
		n.kind = SPOOL_MERGING;
	n.stem_len = len;
	if (!ends(name, &len, ".kst") || !number(name, &len, &n.number) ||
		!number(name, &len, &n.ticks) || !number(name, &len, &n.pid))
		return (struct spool_name){ SPOOL_FOREIGN, 0, 0, 0, 0, 0 };
	n.host_len = len;
	return n;
}

void spool_host(char to[static SPOOL_HOST])
{
	if (gethostname(to, SPOOL_HOST - 1) || !*to)
		memcpy(to, "host", sizeof "host");
	to[SPOOL_HOST - 1] = '\0';
	for (char *c = to; *c; c++)
		if (!isascii((unsigned char)*c) ||
			(!isalnum((unsigned char)*c) && *c != '-'))
			*c = '_';
}

bool spool_name_here(const struct spool_name *n, const char *name,
	const char *host)
{
	size_t len = strlen(host);

	return (n->host_len == len && !memcmp(name, host, len)) ||
	       (n->host_len == 4 && !memcmp(name, "host", 4));
}
