/* fake_cuda.h - the declarations that the files of the fake driver share. */
#pragma once
#include "door.h"
#include "faults.h"
#include "ledger.h"
#pragma GCC visibility push(hidden)

/* NULL before a libcupti has attached itself. */
const struct fake_events *cuda_events(void);
/* Whether a call is allowed: after cuInit, not inside it, not in a fork. */
CUresult cuda_usable(const char *function);
void cuda_begin(struct fake_call *c, uint32_t cbid);
CUresult cuda_end(struct fake_call *c, CUresult r);

int64_t cuda_now_ns(void);
/* Puts work at the end of a stream and reports it to libcupti. */
void cuda_run(CUstream stream, struct fake_work *w, int64_t takes_ns);
void cuda_resource(CUpti_CallbackIdResource what, CUpti_GraphData *data);

struct CUctx_st {
	int unused;
};

enum { CUDA_NAMES = 64 }; /* kernels of a module */
struct CUfunc_st {
	const char *name;
};
struct CUmod_st {
	struct CUfunc_st function[CUDA_NAMES];
	int functions;
	char *page; /* their names */
	size_t used;
};

struct CUstream_st {
	uint32_t number;
	_Atomic int64_t busy_ns; /* until then */
	CUgraph capture; /* NULL: works at once */
};
CUstream cuda_stream(CUstream stream); /* of 0: the default one */

struct CUgraphNode_st {
	struct fake_work work; /* without times */
	int64_t takes_ns;
	uint64_t id;
};
enum { CUDA_NODES = 4096 };
struct CUgraph_st {
	uint32_t number;
	size_t nodes;
	CUgraphNode node[CUDA_NODES];
};
struct CUgraphExec_st {
	CUgraph graph;
};
void cuda_capture(CUgraph graph, const struct fake_work *w, int64_t takes_ns);

#pragma GCC visibility pop
