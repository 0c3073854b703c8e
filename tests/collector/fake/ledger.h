/* ledger.h - counts what the fakes do, in a file that outlives the process.
 *
 * If FAKE_LEDGER=PREFIX is set, each library of each process maps the file
 * PREFIX.PID.WHOSE, an array of struct ledger_line. Otherwise the counts are
 * only in memory. */
#pragma once
#include <stdint.h>
#pragma GCC visibility push(hidden)

enum ledger_field {
#define LEDGER(field, what) LEDGER_##field,
#include "ledger.def"
#undef LEDGER
	LEDGER_FIELDS
};

struct ledger_line {
	char field[24];
	_Atomic int64_t count;
};

/* Whose ledger this library's is, "cuda" or "cupti"; each defines it. */
extern const char ledger_whose[];

void ledger_add(enum ledger_field field, int64_t n);
void ledger_set(enum ledger_field field, int64_t value);
int64_t ledger_get(enum ledger_field field);

#pragma GCC visibility pop
