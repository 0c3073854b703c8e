/* inspect_field.h - the fields of inspect's CSV tables, as RFC 4180 asks. */
#pragma once
#include <stdint.h>
#include <stdio.h>

/* In quotes where it holds a comma, a quote or an end of line; nothing where
 * it is NULL. No comma behind it. */
void inspect_field_text(FILE *out, const char *s);
/* A part of a field that the caller puts in quotes. */
void inspect_field_part(FILE *out, const char *s);
/* With a comma behind; empty where it is unknown: NaN, negative. */
void inspect_field_tenths(FILE *out, double v);
void inspect_field_whole(FILE *out, int64_t v);
