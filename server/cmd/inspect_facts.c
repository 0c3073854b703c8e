/* inspect_facts.c - versions, clocks and the like, a line each. */
#include "inspect_facts.h"
#include "inspect_field.h"

void inspect_facts(FILE *out, const struct profile *p)
{
	if (p->facts.n == 0)
		return;
	fprintf(out, "\nfact,value\n");
	for (uint32_t i = 0; i < p->facts.n; i++) {
		inspect_field_text(out, p->facts.rows[i].name);
		putc(',', out);
		inspect_field_text(out, p->facts.rows[i].value);
		putc('\n', out);
	}
}
