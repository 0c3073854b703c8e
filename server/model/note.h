/* note.h - data-quality problems of a trace: their names, counts and sentences.
 *
 * A stage that skips or simplifies data adds a note. Notes are stored with the
 * run and shown wherever its numbers are shown. note.def lists all notes. Only
 * note_sentence() builds their sentences. */
#pragma once
#include "arena.h"
#include <stdint.h>

enum note_severity { NOTE_INFO, NOTE_WARN, NOTE_LOSS, NOTE_ERROR };

enum note_code {
#define NOTE(code, severity, sentence) NOTE_##code,
#include "note.def"
#undef NOTE
	NOTE_CODES
};

struct notes {
	int64_t count[NOTE_CODES];
	char detail[NOTE_CODES][80]; /* of the first occurrence; valid UTF-8 */
};

/* Adds `count` occurrences. `detail` may be NULL. The first detail that is not
 * NULL is stored as valid text, clipped to the size of the field. */
void note_add(struct notes *ns, enum note_code code, int64_t count,
	const char *detail, size_t len);
/* Adds all of `from`. */
void note_merge(struct notes *to, const struct notes *from);

const char *note_name(enum note_code code);
enum note_severity note_severity(enum note_code code);
/* "info", "warn", "loss", "error" */
const char *note_severity_name(enum note_severity s);
/* The code of a name; NOTE_CODES if there is no such note. */
enum note_code note_from(const char *name);
/* The sentence, in the arena. */
const char *note_sentence(struct arena *a, enum note_code code, int64_t count,
	const char *detail);
