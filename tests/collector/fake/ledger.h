/* ledger.h - the counts of the fakes, in a page that outlives the process.
 *
 * FAKE_LEDGER=PREFIX: each library of each process maps PREFIX.PID.WHOSE, an
 * array of struct ledger_line. Without it the counts stay in memory. */
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
