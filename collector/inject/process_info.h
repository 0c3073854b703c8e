/* process_info.h - identifies a process: its rank, its pid in each pid
 * namespace, and its program. */
#pragma once
#include "options.h"

/* From RANK, OMPI_COMM_WORLD_…, SLURM_…, PMIX_… and PMI_…: the first pair of
 * variables with valid values. Both members are -1 if there is none. */
struct process_info_rank {
	int rank, size;
};
struct process_info_rank process_info_rank(options_env_fn *env, void *ctx);

/* The line NSpid of a /proc/PID/status: the pids from the outermost namespace
 * to the innermost, separated by blanks. "" if there is no such line. */
void process_info_pids(const char *status, char *to, size_t size);

/* The path of the program, and the program's name without folders. False if
 * unknown. */
bool process_info_program(char to[static OPTIONS_PATH]);
const char *process_info_base(const char *path);
