/* inspect_launches.h - what inspect says of launches; inspect.h tells how. */
#pragma once
#include "profile.h"
#include <stdio.h>

/* Of replays recorded whole; nothing where there are none. */
void inspect_graphs(FILE *out, const struct profile *p);
void inspect_launches(FILE *out, const struct profile *p);
void inspect_callers(FILE *out, const struct profile *p);
