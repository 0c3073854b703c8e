/* faults.h - the settings that change how the fake driver and the fake
 * libcupti behave.
 *
 * They are read from the environment when the library is loaded, and never
 * change. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma GCC visibility push(hidden)

struct faults {
#define FAULT(field, def, env, what) int64_t field;
#include "faults.def"
#undef FAULT
	const char *holder; /* FAKE_CUPTI_HOLDER: who has subscribed before */
	const char *refuse; /* FAKE_CUPTI_REFUSE: KIND:RESULT,… */
};

const struct faults *faults(void);
/* Counts a call; true for the Nth, 2Nth, …; never if n is 0. */
bool fault_every(_Atomic int64_t *counter, int64_t n);
/* The result of cuptiActivityEnable(kind). */
int fault_refused(uint32_t kind);
/* Aborts where real libcupti would crash, hang or corrupt memory. */
_Noreturn void fake_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop
