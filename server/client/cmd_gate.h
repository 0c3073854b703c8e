/* cmd_gate.h - `kernsift gate`: may this head go in?
 *
 * Asks the server once, says what it answered, and writes its renderings (Markdown,
 * JUnit, a badge) where the caller wants them. The server keeps the gate. */
#pragma once
#include "options.h"

/* The exit status: that of the gate, 0 pass, 1 regressed, 2 undecided, 3 bad data;
 * 3 as well where the server could not be asked, or something that was asked for
 * could not be written. So 0 to 2 always are a gate's. */
int cmd_gate(const struct options *o);
