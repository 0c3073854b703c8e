/* graph_replay.cu - captures a graph under NVTX ranges and replays it.
 *
 *   graph_replay NODES REPLAYS [ROUNDS]
 * The ranges contain sizes as PyTorch's emit_nvtx writes them. Each node is a
 * kernel. Prints the number of kernels, and the time per node of the fastest
 * round. */
#include "programs.cuh"
#include <nvtx3/nvToolsExt.h>

__global__ void even(int *to)
{
	if (to)
		*to = 2;
}

static cudaGraphExec_t made(cudaStream_t stream, int nodes)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < nodes; i++) {
		nvtxRangePushA(i % 2 ? "aten::add, op_id = 2, sizes = [[64, 64], [64, 64], []]"
				     : "aten::mm, op_id = 1, sizes = [[64, 32], [32, 64]]");
		if (i % 2)
			nothing<<<1, 32, 0, stream>>>(nullptr);
		else
			even<<<1, 32, 0, stream>>>(nullptr);
		nvtxRangePop();
	}
	NEED(cudaStreamEndCapture(stream, &graph));
	NEED(cudaGraphInstantiate(&exec, graph, 0));
	NEED(cudaGraphDestroy(graph));
	return exec;
}

int main(int argc, char **argv)
{
	int nodes = number(argc, argv, 1, 1000);
	int replays = number(argc, argv, 2, 200);
	int rounds = number(argc, argv, 3, 5);
	long long shortest = 1ll << 62;
	cudaStream_t stream;
	NEED(cudaStreamCreate(&stream));
	cudaGraphExec_t exec = made(stream, nodes);
	for (int r = 0; r < rounds; r++) {
		long long began = now_ns();
		for (int i = 0; i < replays; i++)
			NEED(cudaGraphLaunch(exec, stream));
		NEED(cudaStreamSynchronize(stream));
		long long took = now_ns() - began;
		shortest = took < shortest ? took : shortest;
	}
	long long each = (long long)replays * rounds;
	printf("{\"kernels\": {\"even\": %lld, \"nothing\": %lld}, "
	       "\"replays\": %lld, \"ns_per_node\": %.1f}\n",
		(nodes + 1) / 2 * each, nodes / 2 * each, each,
		(double)shortest / ((double)nodes * replays));
	return 0;
}
