/* manifest.c - one table that defines the lines of the manifest, for writing
 * and parsing. */
#include "manifest.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "kernsift backup ";

enum manifest_kind { WORD, DIGEST, NUMBER };

static const struct manifest_line {
	const char *key;
	enum manifest_kind kind;
	size_t at; /* offset in struct manifest */
} lines[] = {
#define LINE(key, kind)                                    \
	{                                                  \
#key, kind, offsetof(struct manifest, key) \
	}
	LINE(made_at, WORD),
	LINE(version, WORD),
	LINE(postgres, NUMBER),
	LINE(schema, NUMBER),
	LINE(migrations, DIGEST),
	LINE(raw, NUMBER),
	LINE(uploads, NUMBER),
	LINE(chunks, NUMBER),
	LINE(runs, NUMBER),
	LINE(kernels, NUMBER),
	LINE(tokens, NUMBER),
	LINE(bytes, NUMBER),
	LINE(sha256, DIGEST),
#undef LINE
};

enum { LINES = sizeof lines / sizeof *lines };

static void manifest_digest_of(const char *text, size_t len,
	char hex[SHA256_HEX])
{
	uint8_t digest[SHA256_BYTES];
	sha256_of(text, len, digest);
	sha256_hex(digest, hex);
}

void manifest_text(const struct manifest *m, char text[MANIFEST_TEXT])
{
	char hex[SHA256_HEX];
	size_t n = (size_t)snprintf(text, MANIFEST_TEXT, "%s%d\n", head,
		MANIFEST_FORMAT);
	for (int i = 0; i < LINES; i++) {
		const char *at = (const char *)m + lines[i].at;
		if (lines[i].kind == NUMBER)
			n += (size_t)snprintf(text + n, MANIFEST_TEXT - n,
				"%s %lld\n", lines[i].key,
				(long long)*(const int64_t *)(const void *)at);
		else
			n += (size_t)snprintf(text + n, MANIFEST_TEXT - n,
				"%s %s\n", lines[i].key, at);
	}
	manifest_digest_of(text, n, hex);
	snprintf(text + n, MANIFEST_TEXT - n, "manifest %s\n", hex);
}

static bool manifest_damaged(struct err *e)
{
	return err_set(e, ERR_FORMAT,
		"is damaged: its manifest is inconsistent");
}

static bool manifest_read_number(const char *text, int64_t *to)
{
	char *end;
	errno = 0;
	*to = strtoll(text, &end, 10);
	return !errno && end != text && !*end && *to >= 0;
}

static bool manifest_read_line(const struct manifest_line *l, const char *text,
	struct manifest *m)
{
	char *at = (char *)m + l->at;
	size_t n = strlen(l->key),
	       room = l->kind == DIGEST ? SHA256_HEX : MANIFEST_WORD;
	if (strncmp(text, l->key, n) != 0 || text[n] != ' ')
		return false;
	text += n + 1;
	if (l->kind == NUMBER)
		return manifest_read_number(text, (int64_t *)(void *)at);
	if (strlen(text) >= room ||
		(l->kind == DIGEST && strlen(text) != SHA256_HEX - 1))
		return false;
	memcpy(at, text, strlen(text) + 1);
	return true;
}

/* Compares the last line with the digest of all lines before it. */
static bool manifest_whole(char *text)
{
	static const char key[] = "\nmanifest ";
	char hex[SHA256_HEX + 1];
	char *last = strstr(text, key);
	if (!last)
		return false;
	manifest_digest_of(text, (size_t)(last + 1 - text), hex);
	hex[SHA256_HEX - 1] = '\n';
	hex[SHA256_HEX] = '\0';
	if (strcmp(last + strlen(key), hex) != 0)
		return false;
	last[1] = '\0';
	return true;
}

bool manifest_from(struct manifest *m, char *text, struct err *e)
{
	size_t n = strlen(head);
	*m = (struct manifest){ 0 };
	if (strncmp(text, head, n) != 0)
		return err_set(e, ERR_FORMAT, "is not a backup of kernsift");
	if (strtol(text + n, NULL, 10) > MANIFEST_FORMAT)
		return err_set(e, ERR_FORMAT,
			"is a backup of format %ld, which this program cannot "
			"read; use a newer kernsiftd",
			strtol(text + n, NULL, 10));
	if (!manifest_whole(text))
		return manifest_damaged(e);
	char *rest = text;
	strsep(&rest, "\n");
	for (int i = 0; i < LINES; i++) {
		char *line = strsep(&rest, "\n");
		if (!line || !manifest_read_line(&lines[i], line, m))
			return manifest_damaged(e);
	}
	return (rest && !*rest) || manifest_damaged(e);
}
