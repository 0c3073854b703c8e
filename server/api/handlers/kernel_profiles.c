/* kernel_profiles.c - kernel profiles of a run: lists them, attaches a file. */
#include "kernel_profile_attach.h"
#include "audit_record.h"
#include "concurrency_limit.h"
#include "findings.h"
#include "listing.h"
#include "ncu_table.h"
#include "view.h"
#include "api.h"

_Static_assert((int)API_PROFILE_MAX == (int)NCU_FILE_MAX,
	"the body is as large as a file may be");

/* What is stored of a run, with the findings. */
static bool kernel_profiles_read(struct call *c, struct view_profiled *out,
	struct finding_list *found, struct err *e)
{
	struct kernel_profile_line *rows;
	struct kernel_profile_file *files;
	if (!kernel_profiles_list(c->s.db, &c->s.arena, c->id, &rows,
		    &out->profiles.n, e) ||
		!kernel_profiles_files(c->s.db, &c->s.arena, c->id, &files,
			&out->files_n, e))
		return false;
	out->profiles.rows = rows;
	out->files = files;
	*found = findings_kernel_profiles(&c->s.arena, rows, out->profiles.n,
		files, out->files_n);
	return true;
}

json_t *kernel_profiles_get(struct call *c, struct err *e)
{
	struct view_profiled is;
	struct finding_list found;
	struct run_row run;
	int64_t offset;
	uint32_t limit = (uint32_t)param(&c->params, "limit")->whole;
	if (!listing_seek(c, &offset, e) || !listing_run(c, &run, e) ||
		!kernel_profiles_read(c, &is, &found, e))
		return NULL;
	uint32_t n = is.profiles.n;
	uint32_t from = offset < n ? (uint32_t)offset : n, shown = n - from;
	if (shown > limit)
		shown = limit;
	return listing_next(c, view_kernel_profiles(&is, from, shown, &found),
		offset + shown, from + shown < n);
}

json_t *kernel_profiles_post(struct call *c, struct err *e)
{
	const struct api_request *r = c->request;
	const char *name = param_text(&c->params, "file", "ncu.csv");
	struct kernel_profile_file file;
	struct view_profiled is;
	struct finding_list found;
	struct run_row run;
	bool existing;
	if (!r->body_len) {
		err_set(e, ERR_INPUT,
			"the body is empty; send the CSV file of `ncu --csv` "
			"as the body");
		return NULL;
	}
	if (!concurrency_limit_enter(c, e) || !listing_run(c, &run, e) ||
		!kernel_profile_attach_check(name, r->body, r->body_len, &file,
			e))
		return NULL;
	audit_record_describe(c, NULL, "run %lld file='%.100s' launches=%lld",
		(long long)c->id, name, (long long)file.launches);
	if (!kernel_profile_attach(&c->s, run.upload, c->id, &file, &existing,
		    e) ||
		!kernel_profiles_read(c, &is, &found, e))
		return NULL;
	c->status = existing ? 200 : 201;
	return view_kernel_profiles_attached(&is, c->id, existing, &found);
}
