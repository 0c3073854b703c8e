/* job_told.h - what is odd about a job's ranks, as sentences. */
#pragma once
#include "ranks.h"
#include "compared.h"
#include "findings.h"

/* Findings as their schema has them: ranks that are missing, there twice or
 * unknown, collectives that some rank lacks, clocks that cannot be laid beside
 * each other, stragglers. */
struct finding_list job_told(struct arena *a, const struct ranks *r,
	const struct compared_run *runs, uint32_t n);
