/* guest_host.c - a CUDA program that executes the words of its command line.
 *
 * guest_host WORD…: each word is ACTION or ACTION:ARGUMENT, executed in order.
 * So this program can act as any program into which the collector may be
 * loaded. words.def lists the words. */
#include "guest_host.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
/* The leak checker of gcc 12 crashes if threads are detached. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#ifdef __SANITIZE_THREAD__
/* NVTX's header reads its table of functions while another thread fills the
 * table. It sees the old or the new entry, which is correct. The functions
 * themselves are still checked. */
const char *__tsan_default_suppressions(void)
	__attribute__((visibility("default")));
const char *__tsan_default_suppressions(void)
{
	return "race_top:^nvtxRangePushA$\nrace_top:^nvtxRangePop$\n"
	       "race_top:^nvtxInitOnce\n";
}
#endif

void host_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_Exit(99);
}

static void do_rate(struct host *h, const char *argument)
{
	h->rate = atol(argument);
}

static void do_nvtx(struct host *h, const char *argument)
{
	h->nvtx = atol(argument);
}

static void do_emit(struct host *h, const char *argument)
{
	h->emit = *argument != '0';
}

static void do_runtime(struct host *h, const char *argument)
{
	h->runtime = *argument != '0';
}

void host_do(struct host *h, const char *word)
{
	static const struct {
		const char *name;
		action_fn *action;
	} words[] = {
#define WORD(name, function, what) { name, do_##function },
#include "words.def"
#undef WORD
	};
	size_t len = strcspn(word, ":");
	const char *argument = word[len] ? word + len + 1 : "";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == len &&
			strncmp(words[i].name, word, len) == 0) {
			words[i].action(h, argument);
			return;
		}
	host_fail("guest_host: '%s' is no word", word);
}

int main(int argc, char **argv)
{
	static struct host host;

	for (int i = 1; i < argc; i++) {
		host.rest = argv + i + 1;
		host_do(&host, argv[i]);
	}
	return 0;
}
