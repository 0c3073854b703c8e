/* cmd_run.c - a folder, the command in it, and then what it left there. */
#include "commands.h"
#include "child.h"
#include "injection.h"
#include "run_folder.h"
#include "run_send.h"
#include "wire.h"
#include <signal.h>

struct run {
	const struct options *o;
	struct meter meter;
	struct wire *wire; /* NULL: nothing is sent */
	char library[INJECTION_PATH], folder[RUN_FOLDER];
};

/* All that can be wrong with what was asked for is told before the command. */
static bool prepare(struct run *r, struct err *e)
{
	const struct options *o = r->o;
	const char *where = options_trace_value(o, "KERNSIFT_TRACE_DIR");

	if (!where)
		where = getenv("KERNSIFT_TRACE_DIR");
	if (!injection_find(o->library, r->library, e))
		return false;
	if (!o->no_upload && !(r->wire = wire_new(o, e)))
		return false;
	return run_folder_new(where && *where ? where : NULL, r->folder, e);
}

int cmd_run(const struct options *o)
{
	struct run r = { .o = o };
	struct err e = { 0 };
	int status = EXIT_RUN;

	meter_init(&r.meter);
	if (!prepare(&r, &e)) {
		meter_say(&r.meter, "kernsift: %s", e.text);
		wire_free(r.wire);
		return status;
	}
	injection_set(r.library, r.folder, &o->trace, &r.meter);
	/* options_init() put NULL behind the last; execvp() changes nothing. */
	if (child_run((char *const *)(uintptr_t)o->files.at, &status, &e)) {
		signal(SIGPIPE, SIG_IGN);
		run_send(o, r.wire, r.folder, &r.meter);
	} else {
		meter_say(&r.meter, "kernsift: %s", e.text);
		run_folder_remove(r.folder);
	}
	wire_free(r.wire);
	return status;
}
