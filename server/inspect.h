/* inspect.h - `kernsiftd inspect FILE`: a trace's statistics, without a server.
 *
 * Decodes the file, analyses each process in it and prints the result; no
 * database. What is printed is stable: tests/traces compares it whole.
 *
 *   format kineto                        of the file
 *   framework pytorch                    "unknown" where the file does not tell
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
 *   note warn no_grid 3: 3 kernels carry no grid and block
 *   (empty line)
 *   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),P90 (ns),P99 (ns),Name
 *   75.0,300,2,150.0,150.0,100,200,70.7,190.0,199.0,"void f<int, 4>(int*)"
 *   (empty line)
 *   Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),P90 (ns),P99 (ns),Bytes,Sized,Operation
 *   100.0,10,1,10.0,10.0,10,10,0.0,10.0,10.0,4096,1,[CUDA memcpy Host-to-Device]
 *
 * An empty line parts one run from the next. A table without rows is left out
 * together with its heading. A field is quoted as RFC 4180 asks. What is
 * unknown of a device is "unknown". `by` chooses what else the tables tell:
 *
 *   device  a Device column before Name and before Operation
 *   grid    GridXYZ and BlockXYZ, as "%4d %4d %4d", before Name; empty where
 *           unknown; copies as without
 *   source  no statistics, but for each kernel: Short Name,Family,Defined In,
 *           Launched From,Known From,Mangled,Name */
#pragma once
#include <stdint.h>

struct inspect_limits {
	int64_t arena_mib, plain_mib, ratio; /* options of config.def */
};

/* `by` is NULL, "device", "grid" or "source". The program's exit status: 0,
 * or 1 with one sentence on stderr (2 where it is about `by`). */
int inspect(const char *path, const char *by,
	const struct inspect_limits *limits);
