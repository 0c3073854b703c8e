/* inspect_print.h - the text of `kernsiftd inspect`; inspect.h tells it. */
#pragma once
#include "profile.h"
#include "trace.h"
#include <stdio.h>

void inspect_print_file(FILE *out, const struct trace *t);
/* `by` as in inspect.h, already checked. */
void inspect_print_run(FILE *out, const struct profile *p, uint32_t number,
	const char *by);
