/* collector_state.h - the state that the collector's files share, in one
 * struct.
 *
 * Each member belongs to one thread unless it is atomic. */
#pragma once
#include "counters.h"
#include "encode.h"
#include "intake.h"
#include "library.h"
#include "nodes.h"
#include "options.h"
#include "process_info.h"
#include "capture_writer.h"
#include "session.h"
#include "thread.h"
#include "trigger.h"
#include "window.h"
#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

/* The process's CUPTI state, from its first window on. The control thread owns
 * it. The output thread uses the members that may be shared between threads. */
struct cupti {
	bool looked, usable; /* until CUPTI proves otherwise */
	bool open, listening;
	struct library library;
	struct layout layout;
	struct kernel_names *names;
	struct nodes *nodes;
	struct intake *intake;
	struct session *session;
	int64_t kernels_before; /* this window */
	int64_t listen_ns; /* not before, after a refusal; MONOTONIC_RAW */
};

/* What the control thread wants of the writing one. */
enum output_want {
	IO_IDLE, /* between windows: end the file */
	IO_WINDOW,
	IO_CLOSING, /* the rest of a window, then report */
	IO_END /* the same, and for ever */
};

/* Events that become notes of a capture. One thread adds an event, and another
 * writes the note. */
enum output_note {
	NOTE_option,
	NOTE_cupti,
	NOTE_stuck,
	NOTE_kept,
	NOTE_cut, /* a window */
	NOTE_clock,
	NOTES
};

struct output {
	_Atomic bool started;
	_Atomic int want; /* enum output_want; never back from IO_END */
	_Atomic int windows; /* that began so far, set before want */
	_Atomic bool drained, ended;
	_Atomic int opened, closed; /* enum window_why + 1; 0 not yet */
	_Atomic int64_t kept, lost; /* records so far: floods */
	pthread_mutex_t lock; /* of the two below; nothing is taken under it */
	int64_t notes[NOTES]; /* not written yet */
	char detail[NOTES][512]; /* the first one's of those */
};

struct control {
	struct window window;
	struct trigger trigger;
	struct thread_event event;
	bool trigger_pending;
	_Atomic bool ended;
	int64_t flush_ns; /* next, MONOTONIC_RAW */
	int64_t offset_ns; /* REALTIME less MONOTONIC_RAW when last looked at */
	int64_t kept, lost; /* when last looked at: floods */
};

struct collector {
	struct collector_options options;
	char option_error[256]; /* the first that cannot be used */
	int options_wrong;
	struct process_info_rank rank;
	char program[OPTIONS_PATH];
	pid_t pid;
	_Atomic bool exiting;
	struct thread_event ended; /* raised with ctl.ended and io.ended */
	struct cupti cupti;
	struct counters *counters;
	struct control ctl;
	struct output io;
};

/* control.c: opens the first window before it returns, then starts the
 * thread. */
bool control_start(struct collector *c);

/* output.c */
bool output_start(struct collector *c);
void output_want(struct collector *c, enum output_want want);
/* For the notes of the capture, `n` more of them; the first detail stays. */
void output_note(struct collector *c, enum output_note what, int64_t n,
	const char *detail);
