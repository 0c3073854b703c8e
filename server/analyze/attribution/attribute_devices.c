/* attribute_devices.c - computes the times of operator shapes on each device of a
 * process that used several.
 *
 * A call is of the device of its launches. A call with launches on several devices
 * is left out. So are collectives, which wait for other devices. Needs 28 bytes
 * per operator call. */
#include "attribute.h"
#include "attribute_sources.h"
#include "operators.h"
#include "profile.h"
#include "stats.h"
#include <stdlib.h>

enum { ATTRIBUTE_NO_PLACE = UINT32_MAX, ATTRIBUTE_NEW = UINT32_MAX - 1 };

struct attribute_devices {
	const struct attribution *at;
	struct arena *a;
	uint32_t *slot_of; /* by number of a shape: slot + 1; 0 none */
	uint32_t shape[DEVICE_SHAPE_OPERATORS * DEVICE_SHAPES]; /* by slot */
	uint32_t slots;
	int32_t *used; /* by slot of a device: its number; ascending */
	uint32_t used_n;
	int64_t *call_ns; /* by call */
	/* By call: device slot * slots + shape slot; ATTRIBUTE_NEW: it has no
	 * launch yet; ATTRIBUTE_NO_PLACE: it is left out. */
	uint32_t *place;
	uint32_t calls;
};

/* Devices that executed something. */
static bool attribute_devices_used(struct attribute_devices *m)
{
	const struct profile *p = m->at->profile;

	m->used = arena_array(m->a, int32_t, (size_t)p->devices_n + 1);
	for (uint32_t i = 0; m->used && i < p->devices_n; i++)
		if (p->devices[i].launches > 0 || p->devices[i].busy_ns > 0)
			m->used[m->used_n++] = p->devices[i].number;
	return m->used;
}

/* Selects the shapes with the most time of the operators with the most time. */
static bool attribute_devices_slots(struct attribute_devices *m)
{
	const struct operators *o = &m->at->profile->operators;
	uint32_t rank = 0;

	m->slot_of = arena_array(m->a, uint32_t, (size_t)o->shapes_n + 1);
	for (uint32_t i = 0; m->slot_of && i < o->shapes_n; i++, rank++) {
		const struct shape_stat *s = &o->shapes[i];
		const struct operator_stat *of = &o->rows[s->operator_];
		if (i && s->operator_ != s[-1].operator_)
			rank = 0;
		if (s->operator_ >= DEVICE_SHAPE_OPERATORS ||
			rank >= DEVICE_SHAPES || !of->name || of->collective ||
			!s->text)
			continue;
		m->shape[m->slots++] = i;
		m->slot_of[s->number] = m->slots;
	}
	return m->slot_of;
}

static int attribute_devices_by_number(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* The place of a launch. */
static uint32_t attribute_devices_place(const struct attribute_devices *m,
	uint32_t i)
{
	const struct attribution *at = m->at;
	int32_t number = at->trace->kernel.device[at->proc->kernel.from + i];
	uint32_t slot = m->slot_of[at->shape_of[i]];

	if (!slot)
		return ATTRIBUTE_NO_PLACE;
	const int32_t *is = bsearch(&number, m->used, m->used_n, sizeof *is,
		attribute_devices_by_number);
	return is ? (uint32_t)(is - m->used) * m->slots + slot - 1
		  : ATTRIBUTE_NO_PLACE;
}

/* Adds up the launches of each call. False if the arena is full. */
static bool attribute_devices_calls(struct attribute_devices *m)
{
	const struct attribution *at = m->at;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;
	size_t most = (size_t)at->calls + n + 1;

	m->calls = at->calls;
	m->call_ns = arena_array(m->a, int64_t, most);
	m->place = arena_array(m->a, uint32_t, most);
	if (!m->call_ns || !m->place)
		return false;
	for (size_t i = 0; i < most; i++)
		m->place[i] = ATTRIBUTE_NEW;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t call = at->of[i].call, is;
		if (call == LAUNCH_NO_CALL)
			call = m->calls++;
		is = attribute_devices_place(m, i);
		m->call_ns[call] +=
			at->trace->kernel.dur_ns[at->proc->kernel.from + i];
		if (m->place[call] == ATTRIBUTE_NEW)
			m->place[call] = is;
		else if (m->place[call] != is)
			m->place[call] = ATTRIBUTE_NO_PLACE;
	}
	return true;
}

/* Computes the median of each place that has calls, with a counting sort. */
static bool attribute_devices_medians(const struct attribute_devices *m,
	struct operators *o)
{
	uint32_t places = m->used_n * m->slots;
	uint32_t *end = arena_array(m->a, uint32_t, (size_t)places + 1);
	int64_t *ns = arena_array(m->a, int64_t, (size_t)m->calls + 1);
	int64_t *scratch = arena_array(m->a, int64_t, (size_t)m->calls + 1);

	o->device_shapes = arena_array(m->at->arena, struct device_shape,
		(size_t)places + 1);
	if (!end || !ns || !scratch || !o->device_shapes)
		return false;
	for (uint32_t i = 0; i < m->calls; i++)
		if (m->place[i] < places)
			end[m->place[i] + 1]++;
	for (uint32_t i = 1; i <= places; i++)
		end[i] += end[i - 1];
	for (uint32_t i = 0; i < m->calls; i++)
		if (m->place[i] < places)
			ns[end[m->place[i]]++] = m->call_ns[i];
	for (uint32_t i = 0; i < places; i++) {
		uint32_t from = i ? end[i - 1] : 0, n = end[i] - from;
		if (n)
			o->device_shapes[o->device_shapes_n++] =
				(struct device_shape){
					m->used[i / m->slots],
					m->shape[i % m->slots], n,
					stats_from(ns + from, scratch, n).med_ns
				};
	}
	return true;
}

bool attribute_devices(const struct attribution *at)
{
	struct arena scratch = arena_scratch(at->arena);
	struct attribute_devices m = { .at = at, .a = &scratch };
	struct operators *o = &at->profile->operators;

	bool ok = attribute_devices_used(&m) && attribute_devices_slots(&m);
	if (ok && m.used_n > 1) {
		ok = attribute_devices_calls(&m) &&
		     attribute_devices_medians(&m, o);
		o->device_shapes_known = ok;
	}
	arena_scratch_release(&scratch, at->arena);
	return ok;
}
