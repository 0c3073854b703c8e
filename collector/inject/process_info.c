/* process_info.c - reads ranks from the variables that launchers set, and
 * facts from /proc/self. */
#include "process_info.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *rank, *size;
} pairs[] = { { "RANK", "WORLD_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMIX_RANK", "PMIX_SIZE" }, { "PMI_RANK", "PMI_SIZE" },
	{ "SLURM_PROCID", "SLURM_NTASKS" } };

static int process_info_number(const char *text)
{
	char *end;
	long n;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	n = strtol(text, &end, 10);
	return errno || *end || n > INT_MAX ? -1 : (int)n;
}

struct process_info_rank process_info_rank(options_env_fn *env, void *ctx)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct process_info_rank r = { process_info_number(
						       env(ctx, pairs[i].rank)),
			process_info_number(env(ctx, pairs[i].size)) };
		if (r.rank >= 0 && r.rank < r.size)
			return r;
	}
	return (struct process_info_rank){ -1, -1 };
}

void process_info_pids(const char *status, char *to, size_t size)
{
	const char *line = strstr(status, "\nNSpid:");
	size_t len = 0;

	if (line) {
		line += strlen("\nNSpid:");
		line += strspn(line, " \t");
		for (; *line && *line != '\n' && len + 1 < size; line++)
			to[len++] = *line == '\t' ? ' ' : *line;
	}
	to[len] = '\0';
}

bool process_info_program(char to[static OPTIONS_PATH])
{
	ssize_t n = readlink("/proc/self/exe", to, OPTIONS_PATH - 1);

	to[n > 0 ? n : 0] = '\0';
	return n > 0;
}

const char *process_info_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
