/* inspect.h - `kernsiftd inspect FILE`: prints statistics of a trace, without a
 * server.
 *
 * Decodes the file, analyzes each process in it and prints the result. It needs
 * no database. The output format is stable: tests/traces compares the complete
 * output with the expected text.
 *
 *   format kineto                        format of the file
 *   framework pytorch                    "unknown" if the file does not name it
 *   runs 1                               processes found
 *   (empty line)
 *   run 1                                then, for each process:
 *   process 4711                         pid
 *   process_name python
 *   host unknown
 *   rank 0 of 8                          "unknown"; "0 of unknown"
 *   started 2024-05-01T10:11:12.123456789Z   or "unknown"
 *   span_ns 1000
 *   busy_ns 400
 *   kernel_ns 400
 *   launches 3
 *   kernels 2                            distinct names
 *   copy_ns 10
 *   copies 1
 *   device 0 launches=3 busy_ns=400 sms=80 compute=7.0 memory_bytes=34089730048 name=Tesla V100
 *   sm_clock 0 samples=40 mhz=1290.0     if the SM clock was sampled; or
 *                                        mhz=unknown, with a note
 *   note warn no_grid 3: 3 kernels carry no grid and block
 *   (empty line)
 *   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),
 *     StdDev (ns),P90 (ns),P99 (ns),Name     in one line
 *   75.0,300,2,150.0,150.0,100,200,70.7,190.0,199.0,"void f<int, 4>(int*)"
 *   (empty line)
 *   Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),
 *     StdDev (ns),P90 (ns),P99 (ns),Bytes,Sized,Operation     in one line
 *   100.0,10,1,10.0,10.0,10,10,0.0,10.0,10.0,4096,1,[CUDA memcpy Host-to-Device]
 *
 * An empty line separates two runs. If a table has no rows, the table and its
 * heading are omitted. Fields are quoted as RFC 4180 requires. An unknown value
 * of a run or a device is printed as "unknown"; an unknown statistic is an
 * empty field. `by` selects the tables. It can be several words, separated by
 * commas; then every run is printed once per word:
 *
 *   kernels  the tables above and nothing else
 *   device  a Device column before Name and before Operation
 *   grid    GridXYZ and BlockXYZ, as "%4d %4d %4d", before Name; empty if
 *           unknown; copies as above
 *   source  no statistics; instead for each kernel: Distinct Name
 *           (distinct_name.h),Short Name,Family,Operator (by name alone),Defined In,Launched
 *           From,Attribution Source,Mangled,Name
 *   launches  no statistics of kernels; instead the times from the launch call
 *           to the end of the kernel, with the columns of nsys'
 *           cuda_kern_exec_sum: PID,TID,DevId,Count,QCount, then Avg,
 *           Med, Min, Max and StdDev of each of T (total), A (the call), Q
 *           (queue) and K (the kernel), API Name,Kernel Name
 *   callers  no statistics; instead for each kernel the paths that launched it:
 *           Launches,Total Time (ns),Known,Name,Path. Known is path, no_range
 *           or no_call. The frames of a path are written as "kind:name", the
 *           outermost first, with " > " between them
 *   iterations  no statistics; instead the iterations, in four tables. A table
 *           without rows is omitted: Detector,Confidence,Iterations,Kept,
 *           Range (always printed); the strata: Stratum,Kept,Phase,Sequences,
 *           Tokens,KV Tokens,Text; the sizes of each
 *           stratum: Stratum,Kind,Per Iteration,Name,Size;
 *           and the iterations in order: Number,Use,Open,Stratum,Start (ns),
 *           Duration (ns),Compute (ns),Communication (ns),Copies (ns),Idle (ns),
 *           Communication Overlapped (ns),Sync (ns),Launches,Label
 *   waits   no statistics; instead why the GPU was idle, in four tables (model/iterations.h
 *           describes each figure): the iterations in order: Number,Use,Idle
 *           (ns), then the time of each cause; over the kept iterations:
 *           Cause,Time (ns),Parts (of idle intervals); Late Launch (ns),
 *           Short (ns); and what the host did: Cause,Time (ns),Kind,Name
 *   busy    no statistics; instead what limited the busy time, in three tables
 *           (model/iterations.h describes each figure): the iterations in order:
 *           Number,Use,Busy (ns), then the time of each class, and
 *           Communication Overlapped (ns); over the kept iterations: Class,
 *           Time (ns); and Communication Overlapped (ns),Mixed (ns)
 *   patterns  no statistics; instead the time of each function on a device, over the
 *           kept iterations: Type,Device,Time (ns/iteration),Launches/Iteration,Beta (%),
 *           Min (ns),Max (ns),Iterations (it ran in),Function; and the counters
 *           beside it: Metric,Mu,Sigma,Iterations (with a value),Partly,
 *           Interpolated (in how many),Device,Function
 *
 *   operators  no statistics; instead GPU Time (ns),Replayed (kernels in graph
 *           replays),Replayed Known,Platform; if SM clocks were sampled, SM Clock
 *           (MHz),Peaks; and what the time was spent on:
 *           Total Time (ns),Calls,Launches,Shapes,Shape Known (ns),
 *           Roofline Known (ns),SOL (ps),Compute (ns),Headroom (ns),Over (ns),
 *           Type,Phase,Attribution Source (ns) (as "op_sizes=400 rule=12"),
 *           Operator; an empty operator means unattributed (model/operators.h
 *           describes each figure)
 *   shapes  no statistics; instead the operators' shapes: Total Time (ns),Calls,
 *           Launches,Avg (ns),Med (ns),Min (ns),Max (ns) (of calls),
 *           Attribution Source,FLOP (as "bf16=4096"),Read (bytes),Write (bytes),
 *           SOL (ns),Leg,Reason,Grid,Type,Phase,Shape,Operator. If the
 *           compute peaks are at a recorded SM clock: SM Clock (MHz),Peaks;
 *           and T_SOL by the data sheet: Data Sheet SOL (ns),Leg,Type,Phase,
 *           Shape,Operator
 *   unattributed  no statistics; instead the unattributed kernels: Total Time
 *           (ns),Launches,Name
 *   layers  no statistics; instead the layers of the model (model/breakdown.h describes
 *           each figure): Detector,Confidence,Device,Realigned,Iterations,Layers,
 *           Anchor,Stratum,Reason; Wall (ns),Exclusive (ns),Overlap (ns),Idle (ns),
 *           Other (ns),Exposed Communication (ns); the times End To End and
 *           Layers; then the sections, blocks and rows, each with the number of
 *           the section or block that contains it; and the launch groups:
 *           Groups
 *   collectives  no statistics; instead the collective calls (collective.h describes
 *           each figure): Total Time (ns),Calls,Min (ns),Kind,Type,
 *           Bytes,Elements,Bus Bandwidth (GB/s),Reason (why bytes are unknown),
 *           Group,Group Size,Group Ranks,Device,Stream,Name. The bandwidth is
 *           that of all calls: their bytes by their time
 *
 * If replays of CUDA graphs were recorded as one record each, these lines come
 * before the devices of the run:
 *
 *   graph_ns 7811214325
 *   graphs 10                            then, for each graph of each device:
 *   graph 4 exec=5 device=0 replays=10 total_ns=7811214325 med_ns=781121432.5
 *
 * If `format` is "table", or if it is "text" and the output is a terminal, the
 * tables have aligned columns, and columns are omitted and names cut so that they
 * fit. The rest of this description is of "csv".
 *
 * If `format` is "json", the output is one JSON document with these figures and
 * more; inspect.c describes it. The words "source", "launches", "callers",
 * "iterations" and "patterns" have no effect on this document. */
#pragma once
#include "profile.h"
#include "terminal.h"
#include "trace.h"
#include <stdio.h>

struct inspect_limits {
	int64_t arena_mib, uncompressed_mib, ratio; /* options of config.def */
};

/* Reads a file as a trace, the first step of `inspect` and `convert`. A report
 * of Nsight Systems is converted first, if nsys is found (nsys_report.h). */
bool inspect_read(const char *path, const struct inspect_limits *limits,
	struct trace *t, struct err *e);

/* inspect_print.c */

void inspect_print_file(FILE *out, const struct trace *t);
/* Whether `by` is one of the words of --by above. */
bool inspect_print_knows(const char *by);
/* Prints the tables of one word of --by. */
void inspect_print_run(FILE *out, const struct profile *p, uint32_t number,
	const char *by);

/* inspect_table.c */

/* Prints the text of the functions above for a person, and changes it. On false
 * the arena is full. */
bool inspect_table_print(const struct terminal *t, char *text, struct arena *a);
