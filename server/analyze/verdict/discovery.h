/* discovery.h - q: the share of false ones among all rows at least as sure. */
#pragma once
#include "arena.h"
#include "comparison.h"

/* Fills q from p after Benjamini and Hochberg, 1995. False where the arena is
 * full. */
bool discovery_fill(struct change *changes, uint32_t n, struct arena *a);
