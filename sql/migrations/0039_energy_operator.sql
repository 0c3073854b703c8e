-- 0039_energy_operator.sql - the energy that operators used on a device, and the output
-- tokens for which devices used energy.

ALTER TABLE run_energy
	-- the power while no launch is executed; NULL: unknown
	ADD COLUMN idle_w float8 CHECK (idle_w >= idle_low_w AND idle_w <= idle_high_w),
	ADD COLUMN idle_low_w float8 CHECK (idle_low_w >= 0),
	ADD COLUMN idle_high_w float8 CHECK (idle_high_w < 'Infinity'),
	-- why no operator has an energy; NULL: there are rows in
	-- run_energy_operator, or the run is from before this migration
	ADD COLUMN operators_reason text,
	-- output tokens of the iterations, the same on all devices; NULL: unknown,
	-- or the run is from before this migration
	ADD COLUMN tokens float8 CHECK (tokens > 0),
	ADD CHECK (num_nulls(idle_w, idle_low_w, idle_high_w) IN (0, 3)),
	ADD CHECK (operators_reason IS NULL OR idle_w IS NULL),
	ADD CHECK (tokens IS NULL OR energy_j IS NOT NULL);

CREATE TABLE run_energy_operator (
	run_id   bigint NOT NULL,
	device   int NOT NULL,
	rank     int NOT NULL CHECK (rank >= 0), -- of run_operator
	operator text COLLATE "C" NOT NULL,
	dtype    text COLLATE "C",
	phase    text CHECK (phase IN ('prefill', 'decode', 'mixed')),
	time_ns  bigint NOT NULL CHECK (time_ns >= 0),
	energy_j float8 CHECK (energy_j >= low_j AND energy_j <= high_j),
	low_j    float8 CHECK (low_j >= 0),
	high_j   float8 CHECK (high_j < 'Infinity'),
	reason   text, -- why the energy is unknown
	PRIMARY KEY (run_id, device, rank),
	CHECK (num_nulls(energy_j, low_j, high_j) IN (0, 3)),
	CHECK (num_nulls(energy_j, reason) = 1)
);
