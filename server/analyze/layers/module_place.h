/* module_place.h - what each place of a layer is called and does by its modules. */
#pragma once
#include "module_stack.h"
#include "layering.h"

/* Fills module, roles and block of l->places where most launches at a place
 * agree: the path from the layer on, outside layers from what holds them on.
 * Roles are left out where the operator does something else than its module is
 * there for. In s->arena; false where it is full. */
bool module_places(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *stacks, struct layering *l);
