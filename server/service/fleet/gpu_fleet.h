/* gpu_fleet.h - the GPUs that the runs of a fleet used, and which of them are
 * slow.
 *
 * Comparable are launches of the same operator, shape, dtype and phase on devices of
 * the same platform, name and number of SMs, in runs of the same project, workload and framework: other workloads can have
 * other kernels for the same operator, and a GPU must not be slow because of
 * the software that it executed. A run contributes the median of the calls of
 * each shape, to each of its GPUs. slow_gpu.h describes the statistics. */
#pragma once
#include "query_fleet.h"
#include "slow_gpu.h"

/* How much slower an operator is on a GPU than elsewhere. */
struct gpu_fleet_operator {
	const char *op;
	uint32_t samples; /* shapes of runs */
	double slowdown; /* relative: the median over the samples */
};

enum { GPU_FLEET_OPERATORS = 3 };

struct gpu_fleet_row {
	/* Its identity, and what that is: sql/views/device_line.sql. */
	const char *gpu, *identified_by;
	const char *uuid, *bus_id, *host; /* of its newest run; NULL unknown */
	const char *name, *platform; /* NULL unknown */
	int64_t runs, newest; /* runs that used it; id of the newest one */
	struct slow_gpu is;
	const char *reason; /* why it is not judged; NULL */
	/* Those with the most evidence of being slow. */
	struct gpu_fleet_operator operators[GPU_FLEET_OPERATORS];
	uint32_t operators_n;
};

struct gpu_fleet {
	struct gpu_fleet_row *rows; /* slow ones first, slowest first */
	uint32_t n, judged, slow, undecided;
	int64_t runs; /* that were read */
	bool more; /* there are older runs, or other GPUs of the oldest */
	const char *reason; /* why no GPU is judged; NULL */
	/* Runs that are of no GPU: without the identity of any; of several GPUs
	 * with unknown times on each, because an older server analyzed them;
	 * imported tables; of no GPU that executed anything. */
	int64_t unidentified_runs, several_runs, table_runs, idle_runs;
};

bool gpu_fleet_from(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct gpu_fleet *out, struct err *e);
