-- 0033_slow_gpu.sql - which GPU a device of a run is, so that GPUs can be compared
-- over the fleet, and which GPUs were found to be slow. NULL in rows from before:
-- unknown.

ALTER TABLE run_device
	ADD COLUMN uuid            text COLLATE "C" CHECK (uuid <> ''),
	ADD COLUMN bus_id          text COLLATE "C" CHECK (bus_id <> ''), -- PCI
	-- of the samples while kernels ran, in which power or heat held the clocks down
	ADD COLUMN throttled_pct double precision
		CHECK (throttled_pct BETWEEN 0 AND 100);

-- A fact: a webhook reports each slow GPU once. `gpu`: its UUID, or host and PCI
-- address. A row is deleted when the GPU is found not to be slow any more.
CREATE TABLE slow_gpu (
	project  text COLLATE "C" NOT NULL,
	gpu      text COLLATE "C" NOT NULL CHECK (gpu <> ''),
	slowdown double precision NOT NULL CHECK (slowdown > 0), -- relative
	found_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (project, gpu)
);
-- How far the runs of a project were searched for slow GPUs.
CREATE TABLE slow_gpu_seen (
	project text COLLATE "C" PRIMARY KEY,
	run_id  bigint NOT NULL, -- the newest one
	runs    bigint NOT NULL CHECK (runs >= 0) -- that were read
);
