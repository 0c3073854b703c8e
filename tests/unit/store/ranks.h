/* ranks.h - makes uploads whose runs have ranks. */
#pragma once
#include "fixture.h"

/* An upload of n runs with these ranks, under the job's name. */
static inline int64_t ranks(struct db *db, const char *project, const char *job,
	const char *bytes, int n, const int32_t *rank)
{
	struct arena a = { 0 };
	struct upload_meta m = fixture_meta;
	struct profile *p = arena_array(&a, struct profile, (size_t)n);
	m.project = project;
	m.job = job;
	for (int i = 0; i < n; i++) {
		p[i] = fixture_profile(&a);
		p[i].rank = rank[i];
	}
	int64_t id = fixture_upload(db, &m, bytes).id;
	struct claim c = fixture_claim(db, id);
	works(save(db, &c, p, (uint32_t)n, NULL, &e));
	arena_release(&a);
	return id;
}

#define RANKS(db, project, job, bytes, ...)                  \
	ranks(db, project, job, bytes,                       \
		(int)(sizeof(int32_t[]){ __VA_ARGS__ } / 4), \
		(const int32_t[]){ __VA_ARGS__ })
