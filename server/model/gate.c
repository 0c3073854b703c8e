/* gate.c - maps each gate outcome to its word. */
#include "gate.h"

const char *gate_outcome_word(enum gate_outcome o)
{
	static const char *const words[] = {
		[GATE_PASS] = "pass",
		[GATE_REGRESSED] = "regressed",
		[GATE_UNDECIDED] = "undecided",
		[GATE_BAD_DATA] = "bad_data",
	};
	return words[o];
}
