/* inspect_print.h - the text of `kernsiftd inspect`; inspect.h tells it. */
#pragma once
#include "profile.h"
#include "trace.h"
#include <stdio.h>

void inspect_print_file(FILE *out, const struct trace *t);
/* Whether it is a word of inspect.h's for `by`. */
bool inspect_print_knows(const char *by);
/* `by` is one of these. */
void inspect_print_run(FILE *out, const struct profile *p, uint32_t number,
	const char *by);
