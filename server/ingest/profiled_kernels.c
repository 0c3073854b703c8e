/* profiled_kernels.c - finds the kernels of an upload's runs in the files of a
 * kernel profiler that were attached to them */
#include "profiled_kernels.h"
#include "kernel_profile_match.h"
#include "kernel_profiles.h"
#include "ncu_table.h"

/* The profiles of the `n` files, which are of one run. NULL if they cannot be
 * read. */
static struct kernel_profiles *profiled_kernels_read(struct arena *a,
	const struct kernel_profile_file *files, uint32_t n, struct err *e)
{
	struct kernel_profiles *out = arena_new(a, struct kernel_profiles);
	struct ncu_reader *r = ncu_reader_new(a);
	bool ok = out && r;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = ncu_reader_add(r, files[i].name, files[i].content,
			files[i].len, e);
	if (ok && ncu_reader_end(r, out, e))
		return out;
	if (!e->code)
		arena_err(a, e);
	return NULL;
}

bool profiled_kernels_find(struct db *db, int64_t upload, struct profile *runs,
	uint32_t n, struct arena *a, struct err *e)
{
	struct kernel_profile_file *files;
	uint32_t files_n, end;
	if (!kernel_profiles_of_upload(db, a, upload, &files, &files_n, e))
		return false;
	for (uint32_t i = 0; i < files_n; i = end) {
		int32_t of = files[i].ordinal;
		for (end = i; end < files_n && files[end].ordinal == of;)
			end++;
		/* The run had a number that the trace no longer has. */
		if (of < 0 || (uint32_t)of >= n)
			continue;
		const struct kernel_profiles *is =
			profiled_kernels_read(a, &files[i], end - i, e);
		if (!is)
			return false;
		if (!kernel_profile_match(&runs[of], is, a,
			    &runs[of].kernel_profiles))
			return arena_err(a, e);
		runs[of].kernel_profiles_n = is->n;
	}
	return true;
}
