/* options_parts.h - what the files of options.c share. */
#pragma once
#include "options.h"

/* Whom to tell of a value that cannot be used. */
struct complaint {
	options_complain_fn *to;
	void *ctx;
};
void complain(const struct complaint *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads the file into OPTIONS_FILE_MAX bytes of zeros as strings NAME=value, one
 * behind the other, and an empty one. */
enum { OPTIONS_FILE_MAX = 64 << 10 };
void options_file(char *lines, const char *path, const struct complaint *c);

/* Texts that are lists, words or times: what cannot be used is told and
 * becomes its default. */
void options_check(struct options *o, const struct complaint *c);
