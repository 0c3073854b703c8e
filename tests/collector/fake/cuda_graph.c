/* cuda_graph.c - graphs of the fake driver: captured, cloned, replayed. */
#include "fake_cuda.h"
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic uint32_t graphs;

void cuda_resource(CUpti_CallbackIdResource what, CUpti_GraphData *data)
{
	const struct fake_events *e = cuda_events();

	if (e)
		e->resource(what, data);
}

static CUgraph graph_new(void)
{
	CUgraph g = calloc(1, sizeof(*g));

	g->number = ++graphs;
	return g;
}

static CUgraphNode add(CUgraph g, const struct fake_work *w, int64_t takes_ns)
{
	if (g->nodes == CUDA_NODES)
		fake_die("a graph of more than %d nodes", CUDA_NODES);
	CUgraphNode n = calloc(1, sizeof(*n));
	n->work = *w;
	n->takes_ns = takes_ns;
	n->id = (uint64_t)g->number << 32 | g->nodes;
	g->node[g->nodes++] = n;
	return n;
}

static CUgraphNodeType type(const struct fake_work *w)
{
	return w->what == FAKE_KERNEL ? CU_GRAPH_NODE_TYPE_KERNEL
	       : w->what == FAKE_COPY ? CU_GRAPH_NODE_TYPE_MEMCPY
				      : CU_GRAPH_NODE_TYPE_MEMSET;
}

void cuda_capture(CUgraph graph, const struct fake_work *w, int64_t takes_ns)
{
	CUgraphNode n = add(graph, w, takes_ns);
	CUpti_GraphData data = { .graph = graph,
		.node = n,
		.nodeType = type(w) };

	cuda_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
}

CUresult cuStreamBeginCapture(CUstream of, CUstreamCaptureMode mode)
{
	CUresult r = cuda_usable("cuStreamBeginCapture");

	(void)mode;
	if (r != CUDA_SUCCESS)
		return r;
	CUgraph g = graph_new();
	CUpti_GraphData data = { .graph = g };
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPH_CREATED, &data);
	cuda_stream(of)->capture = g;
	return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream of, CUgraph *graph)
{
	*graph = cuda_stream(of)->capture;
	cuda_stream(of)->capture = NULL;
	return *graph ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

/* For a node of a copied graph, the real driver reports that it was created
 * and from which node it was cloned. The order of the two reports can be
 * either. */
static void report_copied(CUpti_GraphData *data, bool made_first)
{
	if (made_first)
		cuda_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, data);
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, data);
	if (!made_first)
		cuda_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, data);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
	unsigned long long flags)
{
	CUresult r = cuda_usable("cuGraphInstantiate");

	(void)flags;
	if (r != CUDA_SUCCESS)
		return r;
	CUgraphExec x = calloc(1, sizeof(*x));
	x->graph = graph_new();
	CUpti_GraphData data = { .graph = x->graph,
		.originalGraph = graph,
		.graphExec = x };
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, &data);
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPH_CLONED, &data);
	for (size_t i = 0; i < graph->nodes; i++) {
		CUgraphNode from = graph->node[i];
		data.originalNode = from;
		data.node = add(x->graph, &from->work, from->takes_ns);
		data.nodeType = type(&from->work);
		report_copied(&data, (faults()->seed + (int64_t)i) % 2);
	}
	data.node = data.originalNode = NULL;
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, &data);
	*exec = x;
	return CUDA_SUCCESS;
}

static void replay(CUgraph g, CUstream stream, uint32_t correlation)
{
	const struct fake_events *e = cuda_events();

	if (e && e->replays_whole()) {
		struct fake_work w = { .what = FAKE_REPLAY,
			.graph = g->number,
			.correlation = correlation };
		int64_t takes_ns = 0;
		for (size_t i = 0; i < g->nodes; i++)
			takes_ns += g->node[i]->takes_ns;
		ledger_add(LEDGER_launched, (int64_t)g->nodes);
		cuda_run(stream, &w, takes_ns);
		return;
	}
	for (size_t i = 0; i < g->nodes; i++) {
		struct fake_work w = g->node[i]->work;
		w.graph = g->number;
		w.node = g->node[i]->id;
		w.correlation = correlation;
		cuda_run(stream, &w, g->node[i]->takes_ns);
	}
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream of)
{
	struct fake_call c = { .driver = true, .acts = true };
	CUresult r = cuda_usable("cuGraphLaunch");

	if (r != CUDA_SUCCESS)
		return r;
	cuda_begin(&c, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
	replay(exec->graph, cuda_stream(of), c.correlation);
	return cuda_end(&c, CUDA_SUCCESS);
}

CUresult cuGraphDestroy(CUgraph graph)
{
	for (size_t i = 0; i < graph->nodes; i++) {
		CUpti_GraphData data = { .graph = graph,
			.node = graph->node[i] };
		cuda_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING,
			&data);
		free(graph->node[i]);
	}
	CUpti_GraphData data = { .graph = graph };
	cuda_resource(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, &data);
	free(graph);
	return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	CUpti_GraphData data = { .graph = exec->graph, .graphExec = exec };

	cuda_resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, &data);
	cuGraphDestroy(exec->graph);
	free(exec);
	return CUDA_SUCCESS;
}
