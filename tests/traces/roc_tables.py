"""roc_tables.py - ROCm databases without anything unusual, for cases that insert one
unusual part.

Rpd is rocmProfileData's, Rocpd rocprofv3's, each with the columns that the tools write.
quiet() writes two kernels named `relu`, 2 and 4 us at 10 and 20 us, and their calls."""
import json
import sqlite3

US = 1000
BOOT = 8306017000000000

RPD = """
CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
CREATE TABLE rocpd_ustring (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY, gpuId integer, queueId integer, sequenceId integer, start integer, "end" integer, description_id integer, opType_id integer);
CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY, pid integer, tid integer, start integer, "end" integer, apiName_id integer, args_id integer);
CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id integer, op_id integer);
CREATE TABLE rocpd_kernelapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18), gridX integer, gridY integer, gridZ integer, workgroupX integer, workgroupY integer, workgroupZ integer, groupSegmentSize integer, privateSegmentSize integer, kernelName_id integer);
CREATE TABLE rocpd_copyapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18), size integer, width integer, height integer, kind integer, dst varchar(18), src varchar(18), dstDevice integer, srcDevice integer, sync bool, pinned bool);
CREATE TABLE rocpd_monitor (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, deviceType varchar(16), deviceId integer, monitorType varchar(16), start integer, "end" integer, value varchar(255));
CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, tag varchar(4096), value varchar(4096));
CREATE VIEW api AS SELECT * FROM rocpd_api;
"""


class Tables:
    def __init__(self, path, schema):
        self.db = sqlite3.connect(path)
        self.db.executescript(schema)

    def add(self, table, **row):
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        self.db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})',
                        list(row.values()))

    def close(self):
        self.db.commit()
        self.db.close()


class Rpd(Tables):
    def __init__(self, path):
        super().__init__(path, RPD)
        self.add("rocpd_metadata", tag="schema_version", value="3")

    def string(self, text, table="rocpd_string"):
        for number, in self.db.execute(
                f"SELECT id FROM {table} WHERE string = ?", [text]):
            return number
        return self.db.execute(
            f"INSERT INTO {table} (string) VALUES (?)", [text]).lastrowid

    def api(self, number, name, start, end, pid=77, args="", tid=None):
        self.add("rocpd_api", id=number, pid=pid, tid=tid or pid,
                 start=BOOT + start, end=BOOT + end,
                 apiName_id=self.string(name),
                 args_id=self.string(args, "rocpd_ustring"))

    def launch(self, api, grid=(8, 1, 1), group=(128, 1, 1), name="relu"):
        self.add("rocpd_kernelapi", api_ptr_id=api, stream="0x0",
                 gridX=grid[0], gridY=grid[1], gridZ=grid[2],
                 workgroupX=group[0], workgroupY=group[1],
                 workgroupZ=group[2], groupSegmentSize=0,
                 privateSegmentSize=0, kernelName_id=self.string(name))

    def copy(self, api, size="", kind="", width="", height=""):
        self.add("rocpd_copyapi", api_ptr_id=api, stream="0x0", size=size,
                 width=width, height=height, kind=kind, dst="0x1", src="0x2",
                 dstDevice=0, srcDevice=0, sync=0, pinned=0)

    def op(self, number, kind, start, end, api=None, name="", gpu=0):
        self.add("rocpd_op", id=number, gpuId=gpu, queueId=3, sequenceId=0,
                 start=BOOT + start, end=BOOT + end,
                 description_id=self.string(name), opType_id=self.string(kind))
        if api is not None:
            self.add("rocpd_api_ops", api_id=api, op_id=number)

    def kernel(self, number, start, end, api=None, name="relu", gpu=0):
        self.op(number, "KernelExecution", start, end, api, name, gpu)

    def quiet(self):
        for number, start, end in (1, 10, 12), (2, 20, 24):
            self.api(number, "hipLaunchKernel", (4 + number) * US,
                     (5 + number) * US)
            self.launch(number)
            self.kernel(number, start * US, end * US, number)


ROCPD = """
CREATE TABLE rocpd_metadata{0} (id INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE rocpd_string{0} (id INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT, string TEXT NOT NULL);
CREATE TABLE rocpd_info_node{0} (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, system_name TEXT, hostname TEXT);
CREATE TABLE rocpd_info_process{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, "start" BIGINT, "end" BIGINT, command TEXT, extdata TEXT DEFAULT '{{}}');
CREATE TABLE rocpd_info_thread{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, product_name TEXT, extdata TEXT DEFAULT '{{}}');
CREATE TABLE rocpd_info_kernel_symbol{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, code_object_id INTEGER, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER, extdata TEXT DEFAULT '{{}}');
CREATE TABLE rocpd_info_pmc{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, agent_id INTEGER, target_arch TEXT, event_code INTEGER, instance_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL, description TEXT, units TEXT, value_type TEXT);
CREATE TABLE rocpd_event{0} (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, extdata TEXT DEFAULT '{{}}');
CREATE TABLE rocpd_sample{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, timestamp BIGINT, event_id INTEGER);
CREATE TABLE rocpd_pmc_event{0} (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, pmc_id INTEGER, value REAL);
CREATE TABLE rocpd_memory_allocate{0} (id INTEGER PRIMARY KEY, guid TEXT, pid INTEGER, "start" BIGINT, "end" BIGINT, size INTEGER);
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string{0};
"""
OF_ROWS = """
CREATE TABLE rocpd_track{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER);
CREATE TABLE rocpd_region{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, "start" BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, "start" BIGINT, "end" BIGINT, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, "start" BIGINT, "end" BIGINT, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
"""
OF_TRACKS = """
CREATE TABLE rocpd_track{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, name_id INTEGER);
CREATE TABLE rocpd_timestamp{0} (id INTEGER PRIMARY KEY, guid TEXT, value BIGINT, phase TEXT, track_id INTEGER);
CREATE TABLE rocpd_region{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, name_id INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, start_id INTEGER, end_id INTEGER, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, start_id INTEGER, end_id INTEGER, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, event_id INTEGER);
"""
AGENT = {"size": 312, "id": {"handle": 9}, "type": 2, "cu_count": 304,
         "gfx_target_version": 90402,
         "mem_banks": [{"heap_type": 1, "size_in_bytes": 206141652992}]}


class Rocpd(Tables):
    """One session; `tracks` selects the layout that has tracks."""

    def __init__(self, path, suffix="_0000abcd", pid=77, tracks=False):
        super().__init__(path, (ROCPD + (OF_TRACKS if tracks else OF_ROWS))
                         .format(suffix).replace(
                             "CREATE VIEW", "CREATE VIEW IF NOT EXISTS"))
        self.suffix, self.pid, self.tracks = suffix, pid, tracks
        self.put("metadata", tag="schema_version", value="3")
        self.put("info_node", id=5, hostname="node7")
        self.put("info_process", id=pid, nid=5, pid=pid,
                 command="/usr/bin/python3 train.py")
        self.put("info_agent", id=0, nid=5, pid=pid, type="CPU",
                 type_index=0, name="EPYC", product_name="EPYC")
        self.put("info_agent", id=2, nid=5, pid=pid, type="GPU",
                 absolute_index=2, logical_index=2, type_index=0,
                 name="gfx942", product_name="AMD Instinct MI300X",
                 extdata=json.dumps(AGENT))
        self.put("info_kernel_symbol", id=1, pid=pid, kernel_name="relu.kd",
                 display_name="relu", arch_vgpr_count=32)

    def put(self, table, **row):
        self.add(f"rocpd_{table}{self.suffix}", guid="g", **row) \
            if table != "metadata" else \
            self.add(f"rocpd_{table}{self.suffix}", **row)

    def string(self, text):
        for number, in self.db.execute(
                f"SELECT id FROM rocpd_string{self.suffix} WHERE string = ?",
                [text]):
            return number
        return self.db.execute(
            f"INSERT INTO rocpd_string{self.suffix} (string) VALUES (?)",
            [text]).lastrowid

    def next(self, table):
        return self.db.execute(f"SELECT 1 + COUNT(*) FROM rocpd_{table}"
                               f"{self.suffix}").fetchone()[0]

    def event(self, stack, parent=0, **more):
        number = self.next("event") + 100
        self.put("event", id=number, stack_id=stack, parent_stack_id=parent,
                 correlation_id=0, **more)
        return number

    def where(self, start, end, tid=None, agent=None, stream=None):
        """The columns for place and time, according to the layout."""
        place = {"pid": self.pid, "tid": tid}
        if agent is not None:
            place.update(agent_id=agent, queue_id=1, stream_id=stream)
        if not self.tracks:
            return {"start": BOOT + start, "end": BOOT + end, **place}
        track = self.next("track")
        self.put("track", id=track, nid=5, **place)
        ids = []
        for moment in start, end:
            ids.append(self.next("timestamp") + 1000)
            self.put("timestamp", id=ids[-1], value=BOOT + moment)
        return {"track_id": track, "start_id": ids[0], "end_id": ids[1]}

    def dispatch(self, kernel, start, end, stack, grid=(1024, 1, 1),
                 group=(128, 1, 1), agent=2):
        sizes = {f"{what}_size_{axis}": n
                 for what, of in (("grid", grid), ("workgroup", group))
                 for axis, n in zip("xyz", of)}
        self.put("kernel_dispatch", id=self.next("kernel_dispatch"),
                 kernel_id=kernel, dispatch_id=1, group_segment_size=0,
                 event_id=self.event(stack, stack), **sizes,
                 **self.where(start, end, self.pid, agent, 4))

    def region(self, name, start, end, stack, parent=0, **event):
        self.put("region", id=self.next("region"), name_id=self.string(name),
                 event_id=self.event(stack, parent, **event),
                 **self.where(start, end, self.pid))

    def copy(self, name, start, end, stack, to, source, size):
        self.put("memory_copy", id=self.next("memory_copy"),
                 name_id=self.string(name), dst_agent_id=to,
                 src_agent_id=source, size=size,
                 event_id=self.event(stack, stack),
                 **self.where(start, end, self.pid))

    def quiet(self):
        for number, start, end in (11, 10, 12), (12, 20, 24):
            self.region("hipLaunchKernel", (number - 6) * US,
                        (number - 5) * US, number)
            self.dispatch(1, start * US, end * US, number)

    def counter(self, name, symbol, units, agent=2):
        """Describes a counter as rocprof-sys does; returns its number."""
        number = self.next("info_pmc") + 30
        self.put("info_pmc", id=number, nid=5, pid=self.pid, agent_id=agent,
                 target_arch="GPU", event_code=0, instance_id=0, name=name,
                 symbol=symbol, units=units, value_type="ABS")
        return number

    def sampled(self, at, values):
        """One event with the values of several counters, each with a sample."""
        event = self.event(0)
        for pmc, value in values.items():
            self.put("sample", id=self.next("sample") + 10, track_id=1,
                     timestamp=BOOT + at, event_id=event)
            self.put("pmc_event", id=self.next("pmc_event") + 10,
                     event_id=event, pmc_id=pmc, value=value)

    def everything(self):
        """The usual content of each table, in addition to the quiet trace."""
        self.quiet()
        self.put("info_agent", id=3, nid=5, pid=self.pid, type="GPU",
                 type_index=1, name="gfx942", product_name="")
        self.put("info_kernel_symbol", id=2, pid=self.pid,
                 kernel_name="_Z4gemmPf.kd", arch_vgpr_count=128)
        self.put("info_thread", id=self.pid, pid=self.pid, tid=self.pid)
        self.region("hipLaunchKernel", 30 * US, 32 * US, 13)
        self.region("hsa_signal_store_screlease", 31 * US, 31500, 14, 13)
        self.dispatch(2, 40 * US, 45 * US, 14, (1000, 2, 1), (256, 1, 1), 3)
        self.region("hipMemcpyAsync", 33 * US, 34 * US, 15)
        self.copy("MEMORY_COPY_HOST_TO_DEVICE", 46 * US, 47 * US, 15, 2, 0,
                  4096)
        self.copy("MEMORY_COPY_DEVICE_TO_HOST", 47 * US, 49 * US, 15, 0, 3,
                  64)
        self.region("roctxThreadRangeA", 1 * US, 60 * US, 16,
                    extdata='{"message": "step \\"1\\""}')
        self.region("roctxProcessRangeA", 2 * US, 50 * US, 17,
                    extdata='{"message": "request"}')
        self.region("ncclAllReduce", 3 * US, 9 * US, 18)
        self.region("rocDecCreateDecoder", 3 * US, 4 * US, 19)
        self.put("sample", id=1, track_id=1, timestamp=5)
        self.put("memory_allocate", id=1, pid=self.pid, size=5)
        self.put("pmc_event", id=1, event_id=1, pmc_id=1, value=0.5)
