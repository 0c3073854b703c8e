/* inspect_layers.h - what inspect says of layers; inspect.h tells how. */
#pragma once
#include "profile.h"
#include <stdio.h>

void inspect_layers(FILE *out, const struct profile *p);
