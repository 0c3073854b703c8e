/* published_document.h - makes documents for the tests of reference.h and
 * reads them. */
#pragma once
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SHAPE(id, kwargs, w, read, write, sol, prod)                      \
	"{\"id\": " id ", \"input_kwargs\": " kwargs ", \"W_flops\": {" w \
	"}, \"Q_read_bytes\": " read ", \"Q_write_bytes\": " write        \
	", \"T_sol_ms\": {" sol "}, \"production_us\": {" prod "}}"
#define OPERATOR(name, score, shapes)                                        \
	"{\"name\": \"" name "\", \"dtype\": \"bf16\", \"num_profiles\": 2," \
	" \"importance_score\": " score ", \"shapes\": [" shapes "]}"
#define DOCUMENT(operators)                                                  \
	"{\"source\": \"made up\", \"num_profiles\": 3, \"platforms\": {"    \
	"\"A\": {\"p_peak_flops\": {\"bf16\": 1e12}, \"b_peak_bytes_per_s\"" \
	": 1e12}, \"B\": {\"p_peak_flops\": {}, \"b_peak_bytes_per_s\": "    \
	"2e12}}, \"operators\": [" operators "]}"
#define PLAIN                                                                  \
	SHAPE("1", "{\"token_count\": 3, \"hidden_size\": 8}", "\"bf16\": 75", \
		"64", "48", "\"A\": 0.0123", "\"A\": 24.6")

struct world {
	struct catalog *c;
	struct arena a;
	struct reference r;
	struct err e;
};

static bool read(struct world *w, const char *json)
{
	w->e = (struct err){ 0 };
	return reference_read(w->c, json, strlen(json), &w->a, &w->r, &w->e);
}

static int setup(void **state)
{
	static struct world w;
	w = (struct world){ 0 };
	w.c = catalog_new(NULL, &w.e);
	*state = &w;
	return w.c ? 0 : 1;
}

static int teardown(void **state)
{
	struct world *w = *state;
	arena_release(&w->a);
	catalog_free(w->c);
	return 0;
}
