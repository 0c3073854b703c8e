/* nvml_world.h - makes the fake NVML and a /proc folder for tests. */
#pragma once
#include "nvml.h"
#include "proc_folder.h"
#include "sampled.h"
#include <libgen.h>

struct world {
	struct proc_folder f;
	struct sampled s;
	struct nvml n;
	struct nvml_place place;
	char library[4200], sentence[256];
	int stop_after; /* in which turn; -1: never */
};

static inline void library(struct world *w, const char *name)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(len > 0);
	self[len] = '\0';
	snprintf(w->library, sizeof w->library, "%s/fakes/%s", dirname(self),
		name);
}

static inline int start(void **state)
{
	static struct world w;
	char path[128];
	w = (struct world){ .stop_after = -1 };
	proc_folder_make(&w.f);
	proc_folder_write(&w.f, "self/ns/x", "x");
	snprintf(path, sizeof path, "%s/self/ns/pid", w.f.at);
	if (symlink("pid:[4026531836]", path))
		return -1;
	sampled_init(&w.s);
	library(&w, "libnvidia-ml.so.1");
	w.place = (struct nvml_place){ w.library, w.f.at, NULL, NULL };
	*state = &w;
	return 0;
}

static inline int stop(void **state)
{
	struct world *w = *state;
	nvml_close(&w->n);
	samples_free(w->s.ring);
	proc_folder_remove(&w->f, "");
	return unsetenv("FAKE_NVML");
}

static inline bool stopped(void *ctx)
{
	struct world *w = ctx;
	return w->stop_after >= 0 && w->stop_after-- == 0;
}

static inline void open_nvml(struct world *w, const char *words)
{
	setenv("FAKE_NVML", words, 1);
	if (!nvml_open(&w->n, &w->place, w->sentence))
		fail_msg("%s", w->sentence);
}

static inline void turn(struct world *w, int64_t ns)
{
	sampled_pass(&w->s, ns);
	nvml_round(&w->n, w->s.ring, stopped, w);
	sampled_take(&w->s);
}

static inline void pcie(struct world *w)
{
	nvml_pcie(&w->n, w->s.ring, stopped, w);
	sampled_take(&w->s);
}

#define NVML_TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
