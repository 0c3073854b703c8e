/* repeats.h - rows of stored repeats, put together by run. */
#pragma once
#include "compare.h"
#include "query_compared.h"
#include "compare_sides.h"

/* Rows of a run follow each other; its functions come in any order. */
void repeats_from(const struct repeat_row *rows, uint32_t n, struct arena *a,
	struct repeats *out);
/* Stored repeats of either side's work; the call has a database. */
bool repeats_read(struct service_call *c, const struct compared_sides *s,
	struct repeats *out, struct err *e);
