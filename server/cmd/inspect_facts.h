/* inspect_facts.h - what inspect says of a run's surroundings. */
#pragma once
#include "profile.h"
#include <stdio.h>

void inspect_facts(FILE *out, const struct profile *p);
