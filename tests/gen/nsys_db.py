"""nsys_db.py - writes databases with the layout of Nsight Systems exports.

The names of tables and columns are those of real exports of each schema. All rows are
generated here. An export with only the rows of quiet() gets no notes.
"""
import os
import sqlite3

SPAN = 'start INTEGER NOT NULL, end INTEGER NOT NULL'
GPU = f'{SPAN}, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL'
LAUNCH = ('streamId INTEGER NOT NULL, correlationId INTEGER, '
          'globalPid INTEGER')
SHAPE = ('registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, '
         'gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, '
         'staticSharedMemory INTEGER, dynamicSharedMemory INTEGER')
PAYLOAD = ('uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, '
           'uint32Value INTEGER, int32Value INTEGER, floatValue REAL, '
           'jsonTextId INTEGER, jsonText TEXT, binaryData TEXT')

# Columns of kernels that a schema version added. They follow the columns that all
# versions have.
KERNEL_SINCE = {(2, 9): '', (3, 1): ', mangledName INTEGER, launchType INTEGER,'
                ' graphNodeId INTEGER',
                (3, 16): ', greenContextId INTEGER',
                (3, 25): ', graphId INTEGER, clusterX INTEGER, '
                "tensorSizeMinusOneElements TEXT NOT NULL DEFAULT '[]'"}

PROCESS = 0x0001000000000000 | 77 << 24
THREAD = PROCESS | 78
KERNEL = 'CUPTI_ACTIVITY_KIND_KERNEL'
RUNTIME = 'CUPTI_ACTIVITY_KIND_RUNTIME'
US = 1000


def since(version):
    return ''.join(c for v, c in KERNEL_SINCE.items() if v <= version)


def tables(version):
    """Returns {table: columns} of a schema."""
    meta = 'META_DATA_EXPORT' if version >= (3, 16) else 'EXPORT_META_DATA'
    return {
        'StringIds': 'id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL',
        meta: 'name TEXT NOT NULL, value TEXT',
        'TARGET_INFO_SESSION_START_TIME':
            'utcEpochNs INTEGER, utcTime TEXT, localTime TEXT',
        'TARGET_INFO_SYSTEM_ENV': 'globalVid INTEGER, devStateName TEXT, '
            'name TEXT, nameEnum INTEGER, value TEXT',
        'TARGET_INFO_GPU': 'vmId INTEGER, id INTEGER, name TEXT, '
            'totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, '
            'computeMinor INTEGER',
        'PROCESSES': 'globalPid INTEGER, pid INTEGER, name TEXT',
        RUNTIME: f'{SPAN}, eventClass INTEGER, globalTid INTEGER, '
            'correlationId INTEGER, nameId INTEGER NOT NULL, '
            'returnValue INTEGER',
        KERNEL: f'{GPU}, {LAUNCH}, demangledName INTEGER NOT NULL, '
            f'shortName INTEGER NOT NULL, {SHAPE}{since(version)}',
        'CUPTI_ACTIVITY_KIND_MEMCPY': f'{GPU}, {LAUNCH}, bytes INTEGER, '
            'copyKind INTEGER',
        'CUPTI_ACTIVITY_KIND_MEMSET': f'{GPU}, {LAUNCH}, value INTEGER, '
            'bytes INTEGER',
        'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': f'{GPU}, {LAUNCH}, '
            'graphId INTEGER, graphExecId INTEGER',
        'NVTX_EVENTS': 'start INTEGER NOT NULL, end INTEGER, eventType '
            'INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color '
            'INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, '
            f'textId INTEGER, domainId INTEGER, {PAYLOAD}',
        'NVTX_PAYLOAD_SCHEMA_ENTRIES': 'domainId INTEGER, schemaId INTEGER, '
            'idx INTEGER, flags INTEGER, type INTEGER, name TEXT, '
            'description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER',
        'GPU_METRICS': 'timestamp INTEGER NOT NULL, typeId INTEGER, '
            'metricId INTEGER, value INTEGER',
        'TARGET_INFO_GPU_METRICS': 'typeId INTEGER, sourceId INTEGER, '
            'typeName TEXT, metricId INTEGER, metricName TEXT',
        'TARGET_INFO_CUDA_DEVICE': 'gpuId INTEGER, cudaId INTEGER, '
            'pid INTEGER, uuid TEXT, numMultiprocessors INTEGER',
        'DIAGNOSTIC_EVENT': 'timestamp INTEGER, timestampType INTEGER, '
            'source INTEGER, severity INTEGER, text TEXT, globalPid INTEGER',
    }


class Export:
    """`with Export(path) as x`: adding the first row of a table creates the table."""

    def __init__(self, path, version=(3, 16), pragmas=()):
        if os.path.exists(path):
            os.unlink(path)
        self.path = path
        self.layout = tables(version)
        self.version = version
        self.db = sqlite3.connect(path, isolation_level=None)
        for p in pragmas:
            self.db.execute(f'PRAGMA {p}')
        self.db.execute('BEGIN')
        self.made = set()
        self.strings = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        self.db.execute('COMMIT')
        self.db.close()

    def sql(self, text, *values):
        return self.db.execute(text, values)

    def table(self, name, columns=None):
        if name not in self.made:
            self.made.add(name)
            self.sql(f'CREATE TABLE {name} ({columns or self.layout[name]})')

    def add(self, table, **row):
        self.table(table)
        marks = ', '.join('?' * len(row))
        self.sql(f'INSERT INTO {table} ({", ".join(row)}) VALUES ({marks})',
                 *row.values())

    def text(self, value):
        """Returns the id of a string in StringIds."""
        if value not in self.strings:
            self.strings[value] = len(self.strings) + 100
            self.add('StringIds', id=self.strings[value], value=value)
        return self.strings[value]

    def frame(self, pid=77):
        """Adds the rows that are no events: the session, the GPU, the process."""
        meta = next(n for n in self.layout if n.endswith('META_DATA') or
                    n.startswith('META_DATA'))
        self.add(meta, name='EXPORT_SCHEMA_VERSION',
                 value='.'.join(map(str, self.version)) + '.0')
        self.add('TARGET_INFO_SESSION_START_TIME',
                 utcEpochNs=1719853884000000000)
        self.add('TARGET_INFO_SYSTEM_ENV', globalVid=1 << 48, name='Hostname',
                 value='node7')
        self.add('TARGET_INFO_GPU', vmId=1 << 48, id=0, name='Tesla V100',
                 totalMemory=34089730048, smCount=80, computeMajor=7,
                 computeMinor=0)
        self.add('PROCESSES', globalPid=1 << 48 | pid << 24, pid=pid,
                 name='python')

    def call(self, start, end, correlation, name='cudaLaunchKernel_v7000',
             thread=THREAD, table=RUNTIME):
        self.add(table, start=start, end=end, eventClass=0, globalTid=thread,
                 correlationId=correlation, nameId=self.text(name),
                 returnValue=0)

    def kernel(self, start, end, correlation, name='relu', **more):
        row = {'start': start, 'end': end, 'deviceId': 0, 'contextId': 1,
               'streamId': 7, 'correlationId': correlation,
               'globalPid': PROCESS, 'demangledName': self.text(name),
               'shortName': self.text(name), 'registersPerThread': 16,
               'gridX': 2, 'gridY': 1, 'gridZ': 1, 'blockX': 128,
               'blockY': 1, 'blockZ': 1, 'staticSharedMemory': 0,
               'dynamicSharedMemory': 0}
        row.update(more)
        self.add(KERNEL, **{k: v for k, v in row.items() if v is not None})

    def launched(self, at, dur, correlation, name='relu', **more):
        """Adds a call, and 5 us later the kernel or copy that the call launched."""
        self.call(at, at + US, correlation)
        self.kernel(at + 5 * US, at + 5 * US + dur, correlation, name, **more)

    def quiet(self):
        """Adds two kernels with the name relu, of 2 and 4 us, 20 us apart."""
        self.frame()
        self.launched(10 * US, 2 * US, 1)
        self.launched(30 * US, 4 * US, 2)

    def identify(self, uuid, bus, gpu=0):
        """Sets which GPU a device is, in columns that the first call adds."""
        if 'identity' not in self.made:
            self.made.add('identity')
            self.sql('ALTER TABLE TARGET_INFO_GPU ADD COLUMN uuid TEXT')
            self.sql('ALTER TABLE TARGET_INFO_GPU ADD COLUMN busLocation TEXT')
        self.sql('UPDATE TARGET_INFO_GPU SET uuid = ?, busLocation = ? WHERE id = ?',
                 uuid, bus, gpu)

    def range(self, start, end, text, kind=59, thread=THREAD, **more):
        self.add('NVTX_EVENTS', start=start, end=end, eventType=kind,
                 text=text, globalTid=thread, **more)
