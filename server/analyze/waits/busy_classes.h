/* busy_classes.h - gives each busy nanosecond of an iteration one class.
 *
 * Busy is the time in which a record (kernel, collective, copy, set or graph
 * replay) runs on any device of the process. It is the iteration's duration
 * without idle_ns (iterations.h). If several records run at once, the time has
 * the first of these classes that applies:
 *
 *   compute_bound          a kernel whose roofline bound is the compute time
 *                          (cost.h)
 *   memory_bound           a kernel whose roofline bound is the memory time
 *   no_bound               any other kernel, and a graph replay without its
 *                          kernels
 *   launch_floor           a kernel of a call that takes at most the launch
 *                          floor
 *   exposed_communication  a collective
 *   copies                 a copy or set
 *
 * The first four add up to compute_ns of the iteration. The other two are
 * comm_ns and copy_ns. Communication beside a kernel is comm_overlapped_ns; its
 * time has the class of the kernel, which would run without the collective, too.
 *
 * The classes of kernels are in this order because a known bound says more than
 * an unknown one, and because a kernel as short as its launch delays nothing
 * while a longer one runs. That compute is before memory is a convention.
 * mixed_ns is the time in which the order decided between classes of kernels.
 *
 * - The bound is that of the operator call, which may have several kernels
 *   (operators.h): at the run's SM clock if it is recorded, else by the data
 *   sheet. It is computed when a run is analyzed, so that the classes agree with
 *   the legs of the run's shapes. Measured ceilings may be added to a platform later
 *   and do not change them.
 * - A bound that its calls contradict is unknown: a shape with S > 1 has a wrong
 *   cost, or finds its data in a cache. It has no headroom either.
 * - The launch floor is that of the platform (launch_floor_ns). It is compared
 *   with the time of the whole call, as for headroom, and also if the call has no
 *   bound: its time is that of a launch that does nothing.
 * - If the platform is unknown, or the devices of the process have several, every
 *   kernel is no_bound.
 * - A collective is a kernel of such a family (catalog.h), as in comm_ns. Another
 *   kernel whose bound is that of a link is no_bound.
 *
 * One sweep over the records by start. Needs no memory but the result. */
#pragma once
#include "operators.h"
#include "profile.h"

struct attribution;

/* Fills p->busy of the attribution's profile. Needs p->iterations with their
 * times, and at->busy_of. False if the arena is full. */
bool busy_classes_from(const struct attribution *at);

/* The class of the kernels of an operator call that takes `ns`; NULL: the
 * platform is unknown. `s` is the call's shape. */
static inline enum busy_class busy_classes_of_call(const struct shape_stat *s,
	int64_t ns, const struct platform *p)
{
	double sol_ns = s->clock_sol_ns * (double)s->call.instances;

	if (p && ns <= p->launch_floor_ns)
		return BUSY_LAUNCH_FLOOR;
	if (sol_ns > (double)s->call.total_ns)
		return BUSY_NO_BOUND;
	if (s->clock_leg == LEG_COMPUTE)
		return BUSY_COMPUTE_BOUND;
	return s->clock_leg == LEG_MEMORY ? BUSY_MEMORY_BOUND : BUSY_NO_BOUND;
}
