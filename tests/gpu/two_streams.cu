/* two_streams.cu - kernels of known length on two streams, each between events.
 *
 *   two_streams PAIRS
 * Prints the requested length of each kernel, in order of launch, and the time
 * between the events around it, in nanoseconds. */
#include "programs.cuh"

int main(int argc, char **argv)
{
	int n = 2 * number(argc, argv, 1, 100);
	cudaStream_t stream[2];
	cudaEvent_t *before = new cudaEvent_t[n], *after = new cudaEvent_t[n];
	for (int s = 0; s < 2; s++)
		NEED(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
	spin<<<1, 1, 0, stream[0]>>>(1000);
	NEED(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		NEED(cudaEventCreate(&before[i]));
		NEED(cudaEventCreate(&after[i]));
		NEED(cudaEventRecord(before[i], stream[i % 2]));
		spin<<<1, 1, 0, stream[i % 2]>>>(20000 + 1000 * (i % 50));
		NEED(cudaEventRecord(after[i], stream[i % 2]));
	}
	NEED(cudaDeviceSynchronize());
	printf("{\"kernels\": {\"spin\": %d}, \"event_ns\": [", n + 1);
	for (int i = 0; i < n; i++) {
		float ms;
		NEED(cudaEventElapsedTime(&ms, before[i], after[i]));
		printf("%s%.0f", i ? ", " : "", ms * 1e6);
	}
	printf("], \"requested_ns\": [");
	for (int i = 0; i < n; i++)
		printf("%s%d", i ? ", " : "", 20000 + 1000 * (i % 50));
	printf("]}\n");
	return 0;
}
