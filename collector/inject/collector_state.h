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
	int64_t kernels_before; /* kernels before this window */
	int64_t listen_ns; /* no attempt to listen before this MONOTONIC_RAW
			    * time, after a refusal */
};

/* What the control thread requests from the output thread. */
enum output_want {
	IO_IDLE, /* between windows: end the file */
	IO_WINDOW,
	IO_CLOSING, /* write the rest of a window, then report */
	IO_END /* write the rest, and then end the thread */
};

/* Events that become notes of a capture. One thread adds an event, and another
 * writes the note. */
enum output_note {
	NOTE_option,
	NOTE_cupti,
	NOTE_stuck,
	NOTE_kept,
	NOTE_cut, /* a window was cut short */
	NOTE_clock,
	NOTES
};

struct output {
	_Atomic bool started;
	_Atomic int want; /* enum output_want; never changes from IO_END */
	_Atomic int windows; /* number of windows begun, set before `want` */
	_Atomic bool drained, ended;
	_Atomic int opened, closed; /* enum window_why + 1; 0 not yet */
	_Atomic int64_t kept, lost; /* records so far, to detect a flood */
	pthread_mutex_t lock; /* of `notes` and `detail`; no other lock is
			       * taken under it */
	int64_t notes[NOTES]; /* numbers that are not written yet */
	char detail[NOTES][512]; /* the detail of the first of them */
};

struct control {
	struct window window;
	struct trigger trigger;
	struct thread_event event;
	bool trigger_pending;
	_Atomic bool ended;
	int64_t flush_ns; /* MONOTONIC_RAW time of the next flush */
	int64_t offset_ns; /* REALTIME minus MONOTONIC_RAW at the last
			    * reading */
	int64_t kept, lost; /* values at the last reading, to detect a flood */
};

struct collector {
	struct collector_options options;
	char option_error[256]; /* the first value that cannot be used */
	int options_wrong;
	struct process_info_rank rank;
	char program[OPTIONS_PATH];
	pid_t pid;
	_Atomic bool exiting;
	struct thread_event ended; /* raised when ctl.ended or io.ended becomes
				    * true */
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
/* Adds `n` to a note of the capture. Only the first detail is kept. */
void output_note(struct collector *c, enum output_note what, int64_t n,
	const char *detail);
