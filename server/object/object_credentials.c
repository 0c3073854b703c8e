/* object_credentials.c - reads lines NAME = VALUE below [default]. */
#include "object_credentials.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = OBJECT_TOKEN + 64 };

static char *object_credentials_trim(char *s)
{
	s += strspn(s, " \t");
	size_t n = strlen(s);
	while (n > 0 && strchr(" \t\r\n", s[n - 1]))
		s[--n] = '\0';
	return s;
}

/* False if the value is too long. */
static bool object_credentials_take(struct object_credentials *c, char *line)
{
	char *equals = strchr(line, '=');
	if (!equals)
		return true;
	*equals = '\0';
	const char *name = object_credentials_trim(line);
	const char *value = object_credentials_trim(equals + 1);
	const struct {
		const char *name;
		char *to;
		size_t room;
	} fields[] = { { "aws_access_key_id", c->key_id, sizeof c->key_id },
		{ "aws_secret_access_key", c->secret, sizeof c->secret },
		{ "aws_session_token", c->token, sizeof c->token } };
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strcmp(name, fields[i].name) != 0)
			continue;
		if (strlen(value) >= fields[i].room)
			return false;
		snprintf(fields[i].to, fields[i].room, "%s", value);
	}
	return true;
}

static bool object_credentials_lines(FILE *f, struct object_credentials *c)
{
	char line[LINE];
	bool ours = false, ok = true;
	while (ok && fgets(line, sizeof line, f)) {
		char *text = object_credentials_trim(line);
		if (*text == '[')
			ours = !strcmp(text, "[default]");
		else if (ours && *text != '#' && *text != ';')
			ok = object_credentials_take(c, text);
	}
	return ok && !ferror(f);
}

bool object_credentials_read(const char *file, struct object_credentials *out,
	struct err *e)
{
	*out = (struct object_credentials){ 0 };
	FILE *f = fopen(file, "re");
	if (!f)
		return err_set(e, ERR_FILE, "cannot read '%.200s': %s", file,
			strerror(errno));
	bool ok = object_credentials_lines(f, out);
	fclose(f);
	return (ok && *out->key_id && *out->secret) ||
	       err_set(e, ERR_FILE,
		       "'%.200s' has no aws_access_key_id and "
		       "aws_secret_access_key below [default]",
		       file);
}
