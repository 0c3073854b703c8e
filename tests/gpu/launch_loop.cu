/* launch_loop.cu - launches kernels as fast as one thread can.
 *
 *   launch_loop LAUNCHES [ROUNDS]
 * Prints the number of launches, and the time per launch of the fastest round. */
#include "programs.cuh"

int main(int argc, char **argv)
{
	int launches = number(argc, argv, 1, 20000);
	int rounds = number(argc, argv, 2, 5);
	long long shortest = 1ll << 62;
	/* The first launch loads the module. */
	nothing<<<1, 32>>>(nullptr);
	NEED(cudaDeviceSynchronize());
	for (int r = 0; r < rounds; r++) {
		long long began = now_ns();
		for (int i = 0; i < launches; i++)
			nothing<<<1, 32>>>(nullptr);
		NEED(cudaDeviceSynchronize());
		long long took = now_ns() - began;
		shortest = took < shortest ? took : shortest;
	}
	printf("{\"kernels\": {\"nothing\": %lld}, \"ns_per_launch\": %.1f}\n",
		1ll + (long long)launches * rounds, (double)shortest / launches);
	return 0;
}
