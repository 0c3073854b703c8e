/* door.h - the interface between the fake driver and the fake libcupti.
 *
 * When a client subscribes, libcupti calls the driver's fake_cuda_attach(), as
 * the real libcupti hooks into the real driver. From then on the driver
 * reports every event to libcupti, which decides what to record. */
#pragma once
#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

/* A call of the driver or the runtime; on the caller's stack. */
struct fake_call {
	bool driver;
	uint32_t cbid;
	bool acts; /* launches, copies or sets: not only queries or waits */
	uint64_t start_ns;
	uint32_t correlation;
};

enum fake_what { FAKE_KERNEL, FAKE_COPY, FAKE_SET, FAKE_REPLAY };

/* Work for the GPU. */
struct fake_work {
	enum fake_what what;
	const char *name; /* of a kernel; as long as its module is loaded */
	uint64_t start_ns, end_ns; /* CLOCK_REALTIME; may be in the future */
	uint64_t bytes; /* of a copy or set */
	uint32_t stream, correlation, graph; /* graph 0: none */
	uint64_t node; /* 0: none */
	int32_t grid[3], block[3], shared;
};

struct fake_events {
	void (*begin)(struct fake_call *call);
	void (*end)(struct fake_call *call);
	void (*work)(const struct fake_work *work);
	/* Whether a replay is one piece of work, not one per node. */
	bool (*replays_whole)(void);
	void (*resource)(CUpti_CallbackIdResource what, void *descriptor);
	/* The names of a module are freed: calls release(ctx) once unused. */
	void (*names_gone)(void (*release)(void *ctx), void *ctx);
};

/* Of libcuda: `events` must stay valid. fake_cuda_node: number of a node. */
typedef void fake_cuda_attach_fn(const struct fake_events *events);
typedef uint64_t fake_cuda_node_fn(CUgraphNode node);
void fake_cuda_attach(const struct fake_events *events);
uint64_t fake_cuda_node(CUgraphNode node);

/* A function of libcupti for hosts that act as another profiler. `on` replaces
 * the callbacks, as the registration of a second client does; 0 restores
 * them. */
typedef void fake_cupti_steal_fn(int on);
void fake_cupti_steal(int on);
/* Of libcupti, for hosts that wait: whether kernels are being recorded. */
typedef int fake_cupti_recording_fn(void);
int fake_cupti_recording(void);
/* Of libcupti, for hosts that act as a profiler that subscribed earlier. */
typedef void fake_cupti_hold_fn(int on);
void fake_cupti_hold(int on);
/* Of libcuda: a launch through the runtime. */
typedef int fake_runtime_launch_fn(CUfunction f, unsigned grid, unsigned block,
	CUstream stream);
int fake_runtime_launch(CUfunction f, unsigned grid, unsigned block,
	CUstream stream);
