-- 0007_layers.sql - the layers of a run, and which kernels are launched together.

-- Whether the sums over runs have it: not where names lag behind durations.
ALTER TABLE run ADD COLUMN counted boolean NOT NULL DEFAULT true;

-- One of every run whose single launches are known, with layers or without.
CREATE TABLE run_breakdown (
	run_id            bigint PRIMARY KEY,
	detector          text NOT NULL CHECK (detector IN ('none', 'modules',
		'ranges', 'period', 'given')),
	confidence        double precision NOT NULL
		CHECK (confidence BETWEEN 0 AND 1),
	anchor            text COLLATE "C",
	why               text,
	device            int CHECK (device >= 0),
	realigned         boolean NOT NULL,
	passes            int NOT NULL CHECK (passes >= 0),
	stratum           text COLLATE "C",
	-- Of a pass, end to end.
	pass_instances    bigint NOT NULL CHECK (pass_instances >= 0),
	pass_total_ns     bigint NOT NULL CHECK (pass_total_ns >= 0),
	pass_min_ns       bigint,
	pass_max_ns       bigint,
	pass_avg_ns       double precision,
	pass_med_ns       double precision,
	pass_stddev_ns    double precision,
	pass_p90_ns       double precision,
	pass_p99_ns       double precision,
	layers            int NOT NULL CHECK (layers >= 0),
	-- Of a pass, from its first layer to its last.
	layered_instances bigint NOT NULL CHECK (layered_instances >= 0),
	layered_total_ns  bigint NOT NULL CHECK (layered_total_ns >= 0),
	layered_min_ns    bigint,
	layered_max_ns    bigint,
	layered_avg_ns    double precision,
	layered_med_ns    double precision,
	layered_stddev_ns double precision,
	layered_p90_ns    double precision,
	layered_p99_ns    double precision,
	wall_ns           bigint NOT NULL CHECK (wall_ns >= 0),
	overlap_ns        bigint NOT NULL CHECK (overlap_ns >= 0),
	idle_ns           bigint NOT NULL CHECK (idle_ns >= 0),
	other_ns          bigint NOT NULL CHECK (other_ns >= 0),
	exposed_comm_ns   bigint NOT NULL CHECK (exposed_comm_ns >= 0),
	-- Of each layer and block: how long its launches are, the mean over passes.
	bars              int NOT NULL CHECK (bars >= 0),
	bar_layer         bytea NOT NULL, -- packed
	bar_block         bytea NOT NULL, -- packed; run_block.block
	bar_mean_ns       bytea NOT NULL, -- packed doubles
	CHECK (exposed_comm_ns <= wall_ns)
) WITH (toast_tuple_target = 8160);

CREATE TABLE run_section (
	run_id     bigint NOT NULL,
	section    int NOT NULL CHECK (section >= 0),
	place      text NOT NULL CHECK (place IN ('before', 'layer', 'between',
		'after', 'flat')),
	name       text COLLATE "C",
	per_pass   int NOT NULL CHECK (per_pass >= 0),
	first      int NOT NULL CHECK (first >= 0),
	alike      double precision CHECK (alike BETWEEN 0 AND 1),
	occurs     bigint NOT NULL CHECK (occurs >= 0), -- over all passes
	-- From an instance's first start to its last end.
	instances  bigint NOT NULL CHECK (instances >= 0),
	total_ns   bigint NOT NULL CHECK (total_ns >= 0),
	min_ns     bigint,
	max_ns     bigint,
	avg_ns     double precision,
	med_ns     double precision,
	stddev_ns  double precision,
	p90_ns     double precision,
	p99_ns     double precision,
	PRIMARY KEY (run_id, section)
);

CREATE TABLE run_block (
	run_id        bigint NOT NULL,
	block         int NOT NULL CHECK (block >= 0),
	section       int NOT NULL CHECK (section >= 0), -- run_section.section
	kind          text NOT NULL CHECK (kind IN ('attention', 'gate', 'moe',
		'shared', 'mlp', 'norm', 'communication', 'embedding', 'head',
		'sampling', 'other')),
	beside        int CHECK (beside >= 0 AND beside <> block), -- another block
	sum_ns        double precision CHECK (sum_ns >= 0),
	exclusive_ns  bigint NOT NULL CHECK (exclusive_ns >= 0),
	overlapped_ns bigint NOT NULL CHECK (overlapped_ns >= 0),
	PRIMARY KEY (run_id, block)
);

CREATE TABLE run_place (
	run_id         bigint NOT NULL,
	place          int NOT NULL CHECK (place >= 0),
	block          int NOT NULL CHECK (block >= 0), -- run_block.block
	kernel_id      bigint REFERENCES kernel (id),
	operation      text COLLATE "C", -- of what is no kernel
	operator       text COLLATE "C",
	module         text COLLATE "C",
	roles          text[] NOT NULL CHECK (roles <@ ARRAY['input_norm', 'qkv',
		'q_a_kv_a', 'qk_norm', 'q_b', 'q_absorb', 'rope', 'kv_store',
		'attention', 'v_absorb', 'o_proj', 'post_norm', 'router', 'topk',
		'dispatch', 'gate_up', 'activation', 'down', 'combine',
		'residual', 'all_reduce', 'collective', 'quantize', 'embed',
		'final_norm', 'lm_head', 'sample', 'cross_qkv',
		'cross_attention', 'cross_o_proj', 'convolution', 'state']),
	role_by_module boolean NOT NULL,
	lane           int NOT NULL CHECK (lane >= 0),
	launch_group   int CHECK (launch_group >= 0),
	occurs         bigint NOT NULL CHECK (occurs >= 0), -- instances that have it
	extra          boolean NOT NULL,
	offset_ns      double precision,
	exclusive_ns   bigint NOT NULL CHECK (exclusive_ns >= 0),
	overlapped_ns  bigint NOT NULL CHECK (overlapped_ns >= 0),
	bound_launches bigint NOT NULL CHECK (bound_launches >= 0),
	bound_ns       bigint NOT NULL CHECK (bound_ns >= 0),
	sol_ps         bigint NOT NULL CHECK (sol_ps >= 0),
	-- Of its launches.
	instances      bigint NOT NULL CHECK (instances >= 0),
	total_ns       bigint NOT NULL CHECK (total_ns >= 0),
	min_ns         bigint,
	max_ns         bigint,
	avg_ns         double precision,
	med_ns         double precision,
	stddev_ns      double precision,
	p90_ns         double precision,
	p99_ns         double precision,
	PRIMARY KEY (run_id, place),
	CHECK (num_nonnulls(kernel_id, operation) = 1)
);

-- Kernels that are launched together, most time first.
CREATE TABLE run_group (
	run_id     bigint NOT NULL,
	rank       int NOT NULL CHECK (rank >= 0),
	evidence   text NOT NULL CHECK (evidence IN ('call', 'sequence',
		'catalog')),
	kernels    bigint[] NOT NULL CHECK (cardinality(kernels) >= 1), -- kernel.id
	support    bigint NOT NULL CHECK (support >= 0),
	confidence double precision NOT NULL
		CHECK (confidence BETWEEN 0 AND 1),
	operator   text COLLATE "C",
	total_ns   bigint NOT NULL CHECK (total_ns >= 0),
	alone      bigint NOT NULL CHECK (alone >= 0),
	PRIMARY KEY (run_id, rank)
);
