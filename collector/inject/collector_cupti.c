/* collector_cupti.c - what a process needs for CUPTI, made before its first
 * window. */
#include "collector_state.h"
#include "clock.h"
#include "say.h"

/* Its pointer to the record is a CUpti_Activity's. */
static CUptiResult(CUPTIAPI *next_record)(uint8_t *, size_t, CUpti_Activity **);

static int next_untyped(uint8_t *buffer, size_t bytes, void **record)
{
	CUpti_Activity *at = *record;
	CUptiResult r = next_record(buffer, bytes, &at);

	*record = at;
	return (int)r;
}

static bool wants_cupti(const struct options *o)
{
	return options_kind(o, "kernel") || options_kind(o, "copy") ||
	       options_kind(o, "launch") || options_kind(o, "overhead");
}

static void find(struct collector *c)
{
	struct cupti *u = &c->cupti;
	char sentence[256];

	if (!wants_cupti(&c->options))
		return;
	u->usable = library_open(&u->library, c->options.cupti, sentence);
	if (!u->usable) {
		say("%s", sentence);
		io_tell(c, TOLD_cupti, 1, sentence);
		return;
	}
	next_record = u->library.next_record;
	u->usable = layout_learn(&u->layout, next_untyped, u->library.version);
	if (!u->usable) {
		say("libcupti %u walks no records; it is not used",
			u->library.version);
		io_tell(c, TOLD_cupti, 1, "this libcupti walks no records");
	}
}

bool cupti_look(struct collector *c)
{
	struct cupti *u = &c->cupti;
	const struct options *o = &c->options;
	const struct session_kinds kinds = { .kernel =
						     options_kind(o, "kernel"),
		.copy = options_kind(o, "copy"),
		.launch = options_kind(o, "launch"),
		.overhead = options_kind(o, "overhead"),
		.graph_whole = *o->graph == 'g' };

	if (u->looked)
		return u->intake != NULL;
	u->looked = true;
	find(c);
	u->names = names_new();
	u->nodes = nodes_new();
	/* Half of the memory; the writer takes 3/8, tables and rings the rest. */
	u->intake = u->names ? intake_new(&u->layout, u->names,
				       (size_t)o->memory_mib << 19)
			     : NULL;
	if (u->usable && u->intake && u->nodes)
		u->session = session_new(&u->library, u->intake, u->nodes,
			u->names, &kinds);
	u->usable = u->session;
	return u->intake != NULL;
}

bool cupti_stays(const struct collector *c)
{
	return c->options.capture || c->options.nodes;
}

void cupti_listen(struct collector *c)
{
	const int64_t second_ns = 1000000000;
	struct cupti *u = &c->cupti;
	int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
	char sentence[512] = "";

	if (!cupti_stays(c) || !u->usable || u->listening ||
		now_ns < u->listen_ns)
		return;
	switch (session_listen(u->session, true, sentence)) {
	case SESSION_OPEN:
		u->listening = true;
		break;
	case SESSION_BUSY:
		u->listen_ns = now_ns + 30 * second_ns;
		break;
	default:
		u->usable = false;
	}
	if (*sentence)
		say("%s", sentence);
}
