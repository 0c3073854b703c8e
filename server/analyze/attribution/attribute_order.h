/* attribute_order.h - what operators.h lists, in the order it tells. */
#pragma once
#include "operators.h"

/* False where the arena is full. */
bool attribute_order(struct operators *o, struct arena *a);
void attribute_order_unattributed(struct operators *o);
