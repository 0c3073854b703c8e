/* kernel_profile_attach.c - attaches a file of a kernel profiler to a run */
#include "kernel_profile_attach.h"
#include "kernel_profile_match.h"
#include "ncu_table.h"
#include <string.h>

/* What is wrong with a file is the fault of the request. */
static bool kernel_profile_attach_fault(const struct err *why, struct err *e)
{
	if (why->code == ERR_TOO_LARGE)
		return err_set(e, ERR_TOO_LARGE,
			"the files of kernel profiles of this run need more "
			"than %d MiB of memory together; profile fewer "
			"launches (ncu --launch-count)",
			NCU_ARENA_MIB);
	return err_set(e, why->code == ERR_TRACE ? ERR_INPUT : why->code, "%s",
		why->text);
}

static bool kernel_profile_attach_read(struct arena *a, const char *name,
	const void *bytes, size_t len, struct kernel_profiles *out,
	struct err *e)
{
	char label[300];
	struct err why = { 0 };
	struct ncu_reader *r = ncu_reader_new(a);
	snprintf(label, sizeof label, "'%.250s'", name);
	bool ok = r ? ncu_reader_add(r, label, bytes, len, &why) &&
				  ncu_reader_end(r, a, out, &why)
		    : arena_err(a, &why);
	return ok || kernel_profile_attach_fault(&why, e);
}

bool kernel_profile_attach_check(const char *name, const void *bytes,
	size_t len, struct kernel_profile_file *out, struct err *e)
{
	struct arena a = { .ceiling = (size_t)NCU_ARENA_MIB << 20 };
	struct kernel_profiles is;
	bool ok = kernel_profile_attach_read(&a, name, bytes, len, &is, e);
	if (ok)
		*out = (struct kernel_profile_file){ .name = name,
			.content = bytes,
			.len = len,
			.launches = is.launches,
			.bad_lines = is.bad_lines,
			.bad_values = is.bad_values,
			.cut = is.cut };
	if (ok)
		sha256_of(bytes, len, out->sha256);
	arena_release(&a);
	return ok;
}

/* Whether a kernel of the file alone is one of the run, or may be one of
 * several. */
static bool kernel_profile_attach_belongs(struct arena *a,
	const struct profile *run, const struct kernel_profile_file *f,
	struct err *e)
{
	struct kernel_profiles is = { 0 };
	struct kernel_profile_row *rows;
	if (!kernel_profile_attach_read(a, f->name, f->content, f->len, &is, e))
		return false;
	if (!kernel_profile_match(run, &is, a, &rows))
		return arena_err(a, e);
	for (uint32_t i = 0; i < is.n; i++)
		if (rows[i].match != KERNEL_PROFILE_UNMATCHED)
			return true;
	return err_set(e, ERR_INPUT,
		"'%.100s': none of its %u kernels is one of the run, such as "
		"'%.100s'; attach it to the run of the same program",
		f->name, is.n, is.n ? is.rows[0].name : "");
}

static bool kernel_profile_attach_add(void *to,
	const struct kernel_profile_file *f, struct err *e)
{
	struct err why = { 0 };
	return ncu_reader_add(to, f->name, f->content, f->len, &why) ||
	       kernel_profile_attach_fault(&why, e);
}

/* The rows of all files of the run, with the new one. */
static bool kernel_profile_attach_rows(struct db *db, struct arena *a,
	const struct kernel_profile_file *old, uint32_t n,
	const struct kernel_profile_file *f, struct profile *run, struct err *e)
{
	struct kernel_profiles *all = arena_new(a, struct kernel_profiles);
	struct ncu_reader *r = ncu_reader_new(a);
	if (!all || !r)
		return arena_err(a, e);
	if (!kernel_profiles_each(db, old, n, kernel_profile_attach_add, r,
		    e) ||
		!kernel_profile_attach_add(r, f, e))
		return false;
	if (!ncu_reader_end(r, a, all, e) ||
		!kernel_profile_match(run, all, a, &run->kernel_profiles))
		return arena_err(a, e);
	run->kernel_profiles_n = all->n;
	return true;
}

static bool kernel_profile_attach_work(struct service_call *c, struct arena *a,
	int64_t upload, int64_t run, const struct kernel_profile_file *f,
	bool *existing, struct err *e)
{
	struct profile p = { .arena = a };
	struct derived_run derived = { .profile = &p, .id = run };
	struct kernel_profile_file *old;
	int64_t *ids;
	uint32_t n;
	if (!kernel_profiles_files(c->db, a, run, &old, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		*existing |= !memcmp(old[i].sha256, f->sha256, SHA256_BYTES);
	if (*existing)
		return true;
	if (n >= KERNEL_PROFILE_FILES_MAX)
		return err_set(e, ERR_CONFLICT,
			"run %lld has %u files of kernel profiles, the maximum",
			(long long)run, n);
	if (!kernel_profiles_kernels(c->db, a, run, &p, &ids, e) ||
		!kernel_profile_attach_belongs(a, &p, f, e) ||
		!kernel_profile_attach_rows(c->db, a, old, n, f, &p, e))
		return false;
	derived.kernels = ids;
	return kernel_profiles_attach(c->db, upload, &derived, f, n, e);
}

bool kernel_profile_attach(struct service_call *c, int64_t upload, int64_t run,
	const struct kernel_profile_file *f, bool *existing, struct err *e)
{
	struct arena a = { .ceiling = (size_t)NCU_ARENA_MIB << 20 };
	*existing = false;
	bool ok =
		kernel_profile_attach_work(c, &a, upload, run, f, existing, e);
	arena_release(&a);
	return ok;
}
