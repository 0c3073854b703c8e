/* inspect_operators.h - what inspect says of operators; inspect.h tells how. */
#pragma once
#include "profile.h"
#include <stdio.h>

void inspect_operators(FILE *out, const struct profile *p);
void inspect_shapes(FILE *out, const struct profile *p);
void inspect_unattributed(FILE *out, const struct profile *p);
