/* collective_nodes.c - reads the ranks of a group, and maps ranks to nodes. */
#include "collective_nodes.h"
#include <stdlib.h>
#include <string.h>

/* Reads the next rank of "[0, 1, 2]"; -1 at the end, or if the list is cut
 * ("..."), as PyTorch cuts long ones. */
static int64_t collective_nodes_rank(const char **at)
{
	const char *p = *at + strcspn(*at, "0123456789.");
	char *end;

	if (*p < '0' || *p > '9')
		return -1;
	long long rank = strtoll(p, &end, 10);
	*at = end;
	return rank;
}

/* How many ranks of the list are on a node; -1 if the list has more or fewer
 * ranks than the group, or one that the job does not have, or one twice. */
static int64_t collective_nodes_on(const struct collective_call *c,
	const struct collective_host *host, int64_t node)
{
	const char *at = c->ranks;
	int64_t rank, before = -1, n = 0, on = 0;

	while ((rank = collective_nodes_rank(&at)) >= 0) {
		/* PyTorch sorts them. */
		if (rank >= host->world_size || rank <= before)
			return -1;
		before = rank;
		n++;
		on += rank / host->devices == node;
	}
	return n == c->group_size ? on : -1;
}

/* The nodes of a group that is only a part of a job on several. */
static int64_t collective_nodes_of_list(const struct collective_call *c,
	const struct collective_host *host, const char **why)
{
	int64_t nodes = 0, each = 0;

	*why = "which ranks its group has is unknown";
	if (!c->ranks)
		return 0;
	for (int64_t i = 0; i < host->world_size / host->devices; i++) {
		int64_t on = collective_nodes_on(c, host, i);
		if (on < 0)
			return 0;
		if (!on)
			continue;
		if (nodes && on != each) {
			*why = "its group has more ranks on one node than on "
			       "another";
			return 0;
		}
		each = on;
		nodes++;
	}
	*why = NULL;
	return nodes;
}

/* Why neither rule applies; NULL if one does. */
static const char *collective_nodes_lack(const struct collective_call *c,
	const struct collective_host *host)
{
	int64_t all = host->devices;

	if (c->group_size < 1)
		return "its process group is unknown";
	if (host->world_size < c->group_size)
		return host->world_size < 0
			       ? "how many ranks the job has is unknown"
			       : "its group has more ranks than the job";
	if (all < 2)
		return "how many devices a node has is unknown";
	if (host->rank >= 0 && host->device >= 0 &&
		host->rank % all != host->device)
		return "its ranks are not numbered like the devices, so on which "
		       "nodes they are is unknown";
	if (host->world_size <= all)
		return NULL;
	if (!host->platform || all < host->platform->link_devices ||
		!host->platform->link_devices)
		return "its host may have more devices than the trace lists, so "
		       "on which nodes its ranks are is unknown";
	if (host->world_size % all)
		return "the ranks of the job do not fill its nodes, so on which "
		       "nodes they are is unknown";
	return NULL;
}

int64_t collective_nodes(const struct collective_call *c,
	const struct collective_host *host, const char **why)
{
	*why = c->group_size == 1 ? NULL : collective_nodes_lack(c, host);
	if (*why)
		return 0;
	if (c->group_size == 1 || host->world_size <= host->devices)
		return 1;
	if (c->group_size == host->world_size)
		return host->world_size / host->devices;
	return collective_nodes_of_list(c, host, why);
}
