/* inspect_field.c - one field at a time. */
#include "inspect_field.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void inspect_field_part(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
}

void inspect_field_text(FILE *out, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	inspect_field_part(out, s);
	putc('"', out);
}

void inspect_field_tenths(FILE *out, double v)
{
	if (!isnan(v))
		fprintf(out, "%.1f", v);
	putc(',', out);
}

void inspect_field_whole(FILE *out, int64_t v)
{
	if (v >= 0)
		fprintf(out, "%" PRId64, v);
	putc(',', out);
}
