/* pattern_runs.c - processes by pid and host, and in a chain by host. */
#include "pattern_runs.h"

bool pattern_runs_init(struct pattern_runs *r, struct trace *t)
{
	*r = (struct pattern_runs){ .trace = t };
	return names_init(&r->keys, t->arena) &&
	       names_init(&r->hosts, t->arena) &&
	       names_init(&r->pids, t->arena);
}

static bool grow(struct arena *a, uint32_t **list, uint32_t cap)
{
	uint32_t *grown = arena_grow(a, *list, (size_t)cap * sizeof *grown);
	if (grown)
		*list = grown;
	return grown;
}

static bool room(struct pattern_runs *r)
{
	struct trace *t = r->trace;
	if (t->processes_n < r->cap)
		return true;
	uint32_t cap = r->cap ? r->cap * 2 : 16;
	struct process *grown =
		arena_grow(t->arena, t->processes, (size_t)cap * sizeof *grown);
	if (!grown)
		return false;
	t->processes = grown;
	r->cap = cap;
	return grow(t->arena, &r->of_host, cap + 1) &&
	       grow(t->arena, &r->before, cap);
}

/* Puts process `i` at the end of its host's chain. */
static bool chain(struct pattern_runs *r, uint32_t host, uint32_t i)
{
	uint32_t known = r->hosts.n;
	uint32_t id = names_put(&r->hosts, (const char *)&host, sizeof host);
	if (id == NAMES_NONE)
		return false;
	r->before[i] = id < known ? r->of_host[id] : 0;
	r->of_host[id] = i + 1;
	return true;
}

uint32_t pattern_runs_of(struct pattern_runs *r, int64_t pid, uint32_t host)
{
	struct trace *t = r->trace;
	const int64_t both[2] = { pid, host };
	const char *key = (const char *)both;
	uint32_t known = names_find(&r->keys, key, sizeof both);
	if (known != NAMES_NONE)
		return known - 1;
	if (t->processes_n == PATTERN_RUNS_MAX)
		return PATTERN_RUNS_MAX;
	if (!room(r) || names_put(&r->keys, key, sizeof both) == NAMES_NONE ||
		names_put(&r->pids, (const char *)&pid, sizeof pid) ==
			NAMES_NONE ||
		!chain(r, host, t->processes_n))
		return NAMES_NONE;
	t->processes[t->processes_n] = (struct process){ .pid = pid,
		.host = host,
		.rank = -1,
		.world_size = -1 };
	return t->processes_n++;
}

bool pattern_runs_sample(struct pattern_runs *r, const struct sample *s)
{
	if (r->samples_n == r->samples_cap) {
		uint32_t cap = r->samples_cap ? r->samples_cap * 2 : 1024;
		struct sample *grown = arena_grow(r->trace->arena, r->samples,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		r->samples = grown;
		r->samples_cap = cap;
	}
	r->samples[r->samples_n++] = *s;
	return true;
}

/* The number at the end of a counter's name; -1 where there is none. */
static int64_t pid_of(const struct name *n)
{
	const char *digits = n->text + n->len;
	int64_t pid = 0;
	while (digits > n->text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	size_t len = (size_t)(n->text + n->len - digits);
	if (len == 0 || len > 18 || digits == n->text || digits[-1] != '_')
		return -1;
	for (size_t i = 0; i < len; i++)
		pid = pid * 10 + (digits[i] - '0');
	return pid;
}

static bool add(struct pattern_runs *r, const struct sample *s,
	uint32_t process)
{
	return trace_counter_add(r->trace,
		&(struct counter_row){ .process = (uint16_t)process,
			.start_ns = s->at_ns,
			.name = s->name,
			.device = -1,
			.value = s->value });
}

/* To the process that a sample names, where the file has one of that pid; to
 * all of its host where it names none of them. */
static bool sample_add(struct pattern_runs *r, const struct sample *s)
{
	const struct name *name = &r->trace->names.list[s->name];
	const int64_t both[2] = { pid_of(name), s->host };
	const char *key = (const char *)both;
	uint32_t of = names_find(&r->keys, key, sizeof both);
	if (of != NAMES_NONE)
		return add(r, s, of - 1);
	uint32_t host =
		names_find(&r->hosts, (const char *)&s->host, sizeof s->host);
	bool other = names_find(&r->pids, key, sizeof *both) != NAMES_NONE;
	if (other || host == NAMES_NONE) {
		note_add(&r->trace->notes, NOTE_counter_host, 1, name->text,
			name->len);
		return true;
	}
	for (uint32_t i = r->of_host[host]; i; i = r->before[i - 1])
		if (!add(r, s, i - 1))
			return false;
	return true;
}

bool pattern_runs_finish(struct pattern_runs *r)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->samples_n; i++)
		ok = sample_add(r, &r->samples[i]);
	arena_drop(r->trace->arena, r->samples);
	r->samples = NULL;
	return ok;
}
