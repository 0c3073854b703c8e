/* collector_rows.c - what a capture tells of its process, of windows, and of
 * what was lost. */
#include "collector_state.h"
#include "clock.h"
#include "nvtx.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static int64_t own_text(struct scribe *s, const char *text)
{
	return scribe_text(s, TEXT_OWN, 0, text, strlen(text));
}

static void fact(struct scribe *s, const char *name, const char *value)
{
	if (*value)
		scribe_row(s, KST_fact,
			&(struct kst_fact){ .name = own_text(s, name),
				.value = own_text(s, value) });
}

/* A file of /proc, which has no size; NUL behind it. */
static void slurp(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* What stands behind the first "NAME : " of /proc/cpuinfo. */
static void cpu_name(char *to, size_t size)
{
	char text[2048];
	char *at;

	slurp("/proc/cpuinfo", text, sizeof text);
	at = strstr(text, "model name");
	at = at ? strchr(at, ':') : NULL;
	if (at)
		at += 1 + strspn(at + 1, " \t");
	snprintf(to, size, "%.*s", at ? (int)strcspn(at, "\n") : 0,
		at ? at : "");
}

static void rows_process(struct collector *c, struct scribe *s)
{
	const char *name = place_base(c->program);
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	scribe_row(s, KST_process,
		&(struct kst_process){ .pid = c->pid,
			.name = scribe_text(s, TEXT_PATH, 0, name,
				strlen(name)),
			.rank = c->rank.rank,
			.world_size = c->rank.size,
			.host = scribe_text(s, TEXT_PATH, 0, host,
				strlen(host)) });
}

void rows_begin(struct collector *c, struct scribe *s)
{
	const struct scribe_facts facts = { c->cupti.library.version,
		c->cupti.library.driver, c->options.graph };
	int opened = atomic_load(&c->io.opened);
	struct utsname os;
	char text[4096];
	char value[256];

	rows_process(c, s);
	scribe_facts(s, &facts);
	if (!uname(&os)) {
		snprintf(value, sizeof value, "%.100s %.100s", os.sysname,
			os.release);
		fact(s, "os", value);
	}
	cpu_name(value, sizeof value);
	fact(s, "cpu", value);
	slurp("/proc/self/status", text, sizeof text);
	place_pids(text, value, sizeof value);
	if (strchr(value, ' '))
		fact(s, "pids", value);
	fact(s, "kinds", c->options.kinds);
	if (opened)
		fact(s, "window_opened",
			window_why_text((enum window_why)(opened - 1)));
	rows_clock(s);
}

void rows_end(struct collector *c, struct scribe *s)
{
	int closed = atomic_load(&c->io.closed);

	if (closed)
		fact(s, "window_closed",
			window_why_text((enum window_why)(closed - 1)));
	rows_clock(s);
}

void rows_clock(struct scribe *s)
{
	struct clock_pair p = clock_pair_read();

	scribe_row(s, KST_clock,
		&(struct kst_clock){ .start_ns = p.real_ns,
			.realtime_ns = p.real_ns,
			.monotonic_ns = p.monotonic_ns,
			.boottime_ns = p.boot_ns });
}

static void drop(struct scribe *s, const char *where, int64_t *count)
{
	if (*count > 0 &&
		scribe_row(s, KST_drop,
			&(struct kst_drop){ .start_ns = clock_real_ns(),
				.where = own_text(s, where),
				.count = *count }))
		*count = 0;
}

void rows_drops(struct scribe *s, struct drops *d)
{
	drop(s, "cupti", &d->cupti);
	drop(s, "pool", &d->pool);
	drop(s, "shed", &d->shed);
	drop(s, "unreadable", &d->unreadable);
	drop(s, "ring", &d->ring);
	drop(s, "node", &d->node);
	drop(s, "counter", &d->counter);
	drop(s, "disk", &d->disk);
}

void rows_told(struct collector *c, struct scribe *s)
{
	static const char *const codes[TOLDS] = {
		[TOLD_option] = "option_default",
		[TOLD_cupti] = "cupti_refused",
		[TOLD_stuck] = "cupti_stuck",
		[TOLD_kept] = "cupti_kept",
		[TOLD_cut] = "window_cut",
		[TOLD_clock] = "clock_set",
	};

	for (int i = 0; i < TOLDS; i++) {
		char detail[sizeof c->io.detail[0]];
		pthread_mutex_lock(&c->io.lock);
		int64_t n = c->io.told[i];
		c->io.told[i] = 0;
		memcpy(detail, c->io.detail[i], sizeof detail);
		pthread_mutex_unlock(&c->io.lock);
		if (n > 0)
			scribe_note(s, codes[i], n, detail);
	}
}

static bool node_row(void *ctx, uint64_t node, const uint32_t *stack, int depth)
{
	struct scribe *s = ctx;

	for (int i = 0; i < depth; i++) {
		size_t len;
		const char *text = nvtx_text(stack[i], &len);
		const char *domain = nvtx_domain(stack[i]);
		if (!scribe_row(s, KST_node,
			    &(struct kst_node){ .node = (int64_t)node,
				    .depth = i,
				    .name = scribe_text(s, TEXT_NVTX, 0, text,
					    len),
				    .domain = scribe_text(s, TEXT_NVTX, 0,
					    domain, strlen(domain)) }))
			return false;
	}
	return true;
}

void rows_nodes(struct collector *c, struct scribe *s)
{
	if (c->cupti.nodes)
		nodes_tell(c->cupti.nodes, node_row, s);
}
