/* devices.h - lists the GPUs that a run used, and computes how long kernels and
 * replays of opaque graphs kept them busy. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->devices, p->span_ns and p->busy_ns; the times are -1 if calls have no
 * starts (p->content). Devices without a kernel, replay or copy are not listed.
 * False if the arena is full. */
bool devices_from(const struct trace *t, const struct process *proc,
	uint32_t process, struct profile *p);
