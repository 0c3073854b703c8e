/* fake_writer.h - a capture writer that keeps its input as text.
 *
 * The linker replaces the real writer by this one (tests/CMakeLists.txt). */
#pragma once
#include "capture_writer.h"
#include <stdio.h>
#include <string.h>

static struct fake_writer {
	int64_t captures;
	bool full; /* every row is rejected */
	int texts_read;
	int64_t texts_n, shapes_n;
	char texts[64][128];
	struct kst_shape shapes[64];
	char text[1 << 14]; /* one line per row */
} fake;

int64_t __wrap_capture_writer_captures(const struct capture_writer *s);
int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
int64_t __wrap_capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape);
bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);

int64_t __wrap_capture_writer_captures(const struct capture_writer *s)
{
	(void)s;
	return fake.captures;
}

int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len)
{
	(void)s, (void)key;
	char line[128];
	fake.texts_read++;
	/* Names of kernels may be redacted. The collector's own texts are
	 * never redacted. */
	snprintf(line, sizeof line, "%s%.*s", kind == TEXT_KERNEL ? "~" : "",
		(int)len, text);
	if (!strcmp(line, "~dropped"))
		return 0;
	for (int64_t i = 0; i < fake.texts_n; i++)
		if (!strcmp(fake.texts[i], line))
			return i + 1;
	strcpy(fake.texts[fake.texts_n], line);
	return ++fake.texts_n;
}

int64_t __wrap_capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape)
{
	(void)s;
	fake.shapes[fake.shapes_n] = *shape;
	return ++fake.shapes_n;
}

static const char *fake_text(int64_t id)
{
	return id > 0 && id <= fake.texts_n ? fake.texts[id - 1] : "-";
}

#define FAKE_C_INT(v) n += sprintf(to + n, "%lld", (long long)(v));
#define FAKE_C_REAL(v) n += sprintf(to + n, "%g", v);
#define FAKE_C_TEXT(v) n += sprintf(to + n, "'%s'", fake_text(v));
#define FAKE_C_NAME(v) FAKE_C_TEXT(v)
#define FAKE_C_JSON(v) FAKE_C_TEXT(v)
#define FAKE_C_SHAPE(v) n += sprintf(to + n, "#%lld", (long long)(v));
#define COLUMN(type, field, absent, expected, what) \
	n += sprintf(to + n, " " #field "=");       \
	FAKE_C_##type(row->field)
#define KIND(number, kind, COLUMNS, what)                              \
	static int fake_##kind(char *to, const struct kst_##kind *row) \
	{                                                              \
		int n = sprintf(to, #kind);                            \
		COLUMNS(COLUMN)                                        \
		return n + sprintf(to + n, "\n");                      \
	}
KST_KINDS(KIND)
#undef KIND
#undef COLUMN

bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row)
{
	(void)s;
	char *to = fake.text + strlen(fake.text);
	if (fake.full)
		return false;
	switch (kind) {
#define KIND(number, kind, COLUMNS, what) \
	case KST_##kind:                  \
		fake_##kind(to, row);     \
		break;
		KST_KINDS(KIND)
#undef KIND
	default:
		return false;
	}
	return true;
}
