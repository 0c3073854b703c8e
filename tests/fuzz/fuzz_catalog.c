/* fuzz_catalog.c - fuzzes user input of the catalog: documents of published
 * reference sets, formulas, shapes, site overrides.
 *
 * The first byte selects the kind of input: 'r' is a document, 'o' site
 * overrides, 'c' measured ceilings. Any other byte means three lines: a shape, a shared name, a
 * formula. Accepted input must meet its guarantees. */
#include "catalog.h"
#include "ceilings.h"
#include "formula.h"
#include "reference.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A shape and its text convert to each other. */
static void check_text(const char *text, struct arena *a)
{
	struct err e = { 0 };
	struct shape s;

	assert(shape_read(text, DTYPE_BF16, a, &s, &e));
	assert(strcmp(shape_text(&s, a), text) == 0);
}

static void check_reference(const struct reference *r, struct arena *a)
{
	for (uint32_t i = 0; i < r->operators_n; i++) {
		const struct reference_operator *op = &r->operators[i];
		assert(op->name && op->shapes_n && op->median < op->shapes_n);
		assert(op->importance >= 0 && op->importance <= 1);
		assert(!i || r->operators[i - 1].importance >= op->importance);
		for (uint32_t k = 0; k < op->shapes_n; k++) {
			const struct reference_shape *s = &op->shapes[k];
			assert(s->id >= 0 && s->calls >= -1);
			assert(isnan(s->ai) || s->ai >= 0);
			assert(isnan(s->s) || s->s >= 0);
			if (s->sizes)
				check_text(s->sizes, a);
		}
	}
}

static void reference(const char *text, size_t len, struct arena *a)
{
	static struct catalog *c;
	struct err e = { 0 };
	struct reference r;

	if (!c)
		c = catalog_new(NULL, &e);
	if (reference_read(c, text, len, a, &r, &e))
		check_reference(&r, a);
	else
		assert(e.code && e.text[0]);
}

static void own(const char *text)
{
	struct catalog_own o = { .operators = text, .version = 1 };
	struct err e = { 0 };
	struct catalog *c = catalog_new(&o, &e);

	assert(c || (e.code && e.text[0]));
	catalog_free(c);
}

static void ceilings(const char *text, struct arena *a)
{
	struct err e = { 0 };
	struct ceilings is;

	if (!ceilings_read(text, a, &is, &e)) {
		assert(e.code && e.text[0]);
		return;
	}
	assert(is.n && is.device && is.measured_at);
	for (uint32_t i = 0; i < is.n; i++) {
		const struct ceiling *r = &is.rows[i];
		assert(r->value > 0 && r->value <= 1e24 && r->method);
		assert((r->kind == CEILING_GEMM) == (r->dtype != 0));
		assert(r->devices >= 1);
	}
	struct platform p = ceilings_as_platform(&is, NULL);
	assert(isnan(p.bytes_per_s) || p.bytes_per_s > 0);
}

/* Any line may be missing. */
static const char *line(char **at)
{
	char *start = *at, *end = strchr(start, '\n');

	*at = end ? end + 1 : start + strlen(start);
	if (end)
		*end = '\0';
	return start;
}

static void formula(char *text, struct arena *a)
{
	static const char *const sizes[] = { "m", "n", "k", "x", "y" };
	struct formula_set f;
	struct formula_values v = { 0 };
	struct shape s = { 0 };
	struct err e = { 0 };
	uint32_t root;
	uint64_t got;

	formula_init(&f, a, sizes, sizeof sizes / sizeof *sizes);
	if (shape_read(line(&text), DTYPE_FP4, a, &s, &e))
		check_text(shape_text(&s, a), a);
	e = (struct err){ 0 };
	formula_share(&f, line(&text), "let", &e);
	e = (struct err){ 0 };
	if (!formula_read(&f, line(&text), "read", &root, &e)) {
		assert(e.code == ERR_INPUT && e.text[0]);
		return;
	}
	const char *lacks = formula_lacks(&f, root, &s);
	if (!formula_value(&f, root, &s, "it", &v, &got, &e))
		assert(e.code && e.text[0]);
	assert(!lacks || !shape_size(&s, lacks));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct arena a = { 0 };

	if (len < 2)
		return 0;
	char *text = arena_strndup(&a, (const char *)bytes + 1, len - 1);
	if (bytes[0] == 'r')
		reference(text, len - 1, &a);
	else if (bytes[0] == 'o')
		own(text);
	else if (bytes[0] == 'c')
		ceilings(text, &a);
	else
		formula(text, &a);
	arena_release(&a);
	return 0;
}
