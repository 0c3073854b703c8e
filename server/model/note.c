/* note.c - counts notes, looks up their names and builds their sentences. */
#include "note.h"
#include "utf8.h"
#include <string.h>

static const struct {
	const char *name, *sentence;
	enum note_severity severity;
} table[] = {
#define NOTE(code, severity, sentence) \
	[NOTE_##code] = { #code, sentence, NOTE_##severity },
#include "note.def"
#undef NOTE
};

static void note_detail_keep(char out[80], const char *s, size_t len)
{
	enum { ROOM = 79, MENDED = ROOM / 3 };
	char text[ROOM];
	size_t most = utf8_valid(s, len) ? ROOM : MENDED;
	size_t n = utf8_sanitize(text, s, utf8_clip(s, len, most));
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20)
			text[i] = ' ';
	memcpy(out, text, n);
	out[n] = '\0';
}

void note_add(struct notes *ns, enum note_code code, int64_t count,
	const char *detail, size_t len)
{
	ns->count[code] += count;
	if (detail && len && !ns->detail[code][0])
		note_detail_keep(ns->detail[code], detail, len);
}

void note_merge(struct notes *to, const struct notes *from)
{
	for (int c = 0; c < NOTE_CODES; c++) {
		to->count[c] += from->count[c];
		if (!to->detail[c][0])
			memcpy(to->detail[c], from->detail[c],
				sizeof to->detail[c]);
	}
}

const char *note_name(enum note_code code)
{
	return table[code].name;
}

enum note_severity note_severity(enum note_code code)
{
	return table[code].severity;
}

const char *note_severity_name(enum note_severity s)
{
	static const char *const names[] = { "info", "warn", "loss", "error" };
	return names[s];
}

enum note_code note_from(const char *name)
{
	enum note_code c = 0;
	while (c < NOTE_CODES && strcmp(table[c].name, name))
		c++;
	return c;
}

const char *note_sentence(struct arena *a, enum note_code code, int64_t count,
	const char *detail)
{
	/* The formats are not user input: they are in note.def, and a test
	 * expands each of them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	return arena_printf(a, table[code].sentence, (long long)count,
		detail && *detail ? detail : "(unnamed)");
#pragma GCC diagnostic pop
}
