/* faults.c - reads struct faults from the environment. */
#include "faults.h"
#include "ledger.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct faults all;

static int64_t number(const char *name, int64_t def)
{
	const char *text = getenv(name);
	return text && *text ? strtoll(text, NULL, 10) : def;
}

static const char *text(const char *name, const char *def)
{
	const char *t = getenv(name);
	return strdup(t ? t : def);
}

/* Before main(), because the host may change its environment. */
__attribute__((constructor(101))) static void read_all(void)
{
#define FAULT(field, def, env, what) all.field = number(env, def);
#include "faults.def"
#undef FAULT
	all.holder = text("FAKE_CUPTI_HOLDER", "Nsight Systems");
	all.refuse = text("FAKE_CUPTI_REFUSE", "");
}

const struct faults *faults(void)
{
	return &all;
}

bool fault_every(_Atomic int64_t *counter, int64_t n)
{
	return n > 0 && ++*counter % n == 0;
}

int fault_refused(uint32_t kind)
{
	const char *at = all.refuse;

	while (*at) {
		char *end;
		uint32_t k = (uint32_t)strtoul(at, &end, 10);
		int result = *end == ':' ? (int)strtol(end + 1, &end, 10) : 0;
		if (k == kind)
			return result;
		at = *end == ',' ? end + 1 : end + strlen(end);
	}
	return 0;
}

void fake_die(const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	fprintf(stderr, "fake CUDA: %s\n", sentence);
	ledger_add(LEDGER_broken, 1);
	abort();
}
