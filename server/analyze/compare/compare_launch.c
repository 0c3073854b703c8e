/* compare_launch.c - recognizes a kernel's launches on the same work with other
 * grids and blocks.
 *
 * A kernel whose threads each do one item of n is launched with the least
 * number of blocks that covers n: ceil(n / block). So a launch of `threads` in
 * blocks of `block` covers every n in (threads - block, threads]. Two launches
 * can do the same work if these intervals have a common n in each of the three
 * dimensions. Equal numbers of threads are the same work too if the dimensions
 * differ, because a kernel may use one dimension or two for the same items.
 *
 * Equal grids are the same work whatever the blocks are: a kernel whose blocks
 * each do one row or tile is launched with one block per row. A kernel whose
 * threads do several items in a loop has an unequal number of threads, so that
 * its work remains different here. */
#include "compare_state.h"
#include <stdio.h>
#include <string.h>

void compare_launch_read(const char *size, struct compare_launch *out)
{
	int32_t *g = out->grid, *b = out->block;
	int n = sscanf(size, "%dx%dx%d / %dx%dx%d", &g[0], &g[1], &g[2], &b[0],
		&b[1], &b[2]);
	out->grid_known = n >= 3;
	out->block_known = n == 6;
	for (int i = 0; i < 3; i++)
		if (out->block_known && (g[i] <= 0 || b[i] <= 0))
			out->block_known = false;
}

static bool compare_launch_covers(const struct compare_launch *x,
	const struct compare_launch *y)
{
	for (int i = 0; i < 3; i++) {
		int64_t xb = x->block[i], yb = y->block[i],
			xt = x->grid[i] * xb, yt = y->grid[i] * yb;
		if (xt - xb >= yt || yt - yb >= xt)
			return false;
	}
	return true;
}

/* The product of six numbers of 31 bits would need 186 bits. A driver accepts
 * at most 2^31 - 1, 65,535 and 65,535 blocks of 1,024 threads: 73 bits. A
 * double has 53, so very large launches are equal to a relative 1e-16. */
static double compare_launch_threads(const struct compare_launch *x)
{
	double n = 1;
	for (int i = 0; i < 3; i++)
		n *= (double)x->grid[i] * x->block[i];
	return n;
}

static bool compare_launch_same_grid(const struct compare_launch *x,
	const struct compare_launch *y)
{
	return x->grid_known && y->grid_known &&
	       !memcmp(x->grid, y->grid, sizeof x->grid);
}

bool compare_launch_same_work(const struct compare_launch *x,
	const struct compare_launch *y)
{
	if (compare_launch_same_grid(x, y))
		return true;
	return x->block_known && y->block_known &&
	       (compare_launch_covers(x, y) ||
		       compare_launch_threads(x) == compare_launch_threads(y));
}

bool compare_launch_differs(const struct compare_launch *x,
	const struct compare_launch *y)
{
	if (!compare_launch_same_grid(x, y))
		return x->grid_known && y->grid_known;
	return x->block_known && y->block_known &&
	       memcmp(x->block, y->block, sizeof x->block);
}
