/* inspect_cycles.h - what inspect says of cycles; inspect.h tells how. */
#pragma once
#include "profile.h"
#include <stdio.h>

void inspect_cycles(FILE *out, const struct profile *p);
