/* devices.h - the GPUs a run used, and how busy kernels and replays of whole
 * graphs kept them. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->devices, span_ns and busy_ns; devices without a kernel, replay or copy are
 * not the run's. False if the arena is full. */
bool devices_from(const struct trace *t, const struct process *proc,
	uint32_t process, struct profile *p);
