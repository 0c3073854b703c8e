/* bearer.c - reads a token and lets nothing into a header that is none. */
#include "bearer.h"
#include <ctype.h>
#include <errno.h>

static bool read_file(const char *file, char *to, size_t room, size_t *len,
	struct err *e)
{
	FILE *f = fopen(file, "re");
	if (!f)
		return err_set(e, ERR_INPUT,
			"cannot open the token file '%.200s': %s", file,
			strerror(errno));
	*len = fread(to, 1, room, f);
	bool failed = ferror(f) != 0;
	fclose(f);
	if (failed)
		return err_set(e, ERR_INPUT,
			"cannot read the token file '%.200s'", file);
	return true;
}

bool bearer_from(char out[BEARER_MAX], const char *file, const char *text,
	struct err *e)
{
	char raw[512];
	size_t len = 0, from = 0;
	out[0] = '\0';
	if (*file && !read_file(file, raw, sizeof raw, &len, e))
		return false;
	if (!*file && text) {
		len = strnlen(text, sizeof raw);
		memcpy(raw, text, len);
	}
	bool long_one = len == sizeof raw;
	while (len && isspace((unsigned char)raw[len - 1]))
		len--;
	while (from < len && isspace((unsigned char)raw[from]))
		from++;
	if (from == len && *file)
		return err_set(e, ERR_INPUT,
			"the token file '%.200s' holds no token", file);
	if (from == len)
		return true;
	for (size_t i = from; i < len; i++) {
		if (long_one || raw[i] <= ' ' || raw[i] > '~')
			return err_set(e, ERR_INPUT,
				"what %s holds is not a token",
				*file ? "the token file" : "KERNSIFT_TOKEN");
	}
	snprintf(out, BEARER_MAX, "Authorization: Bearer %.*s",
		(int)(len - from), raw + from);
	return true;
}
