/* inspect_patterns.h - what inspect says of patterns; inspect.h tells how. */
#pragma once
#include "profile.h"
#include <stdio.h>

void inspect_patterns(FILE *out, const struct profile *p);
