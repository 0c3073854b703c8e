-- 0023_sm_clock.sql - the SM clock while kernels ran, and roofline bounds by
-- compute peaks at this clock. Rows from before have neither a clock nor a
-- reason.

ALTER TABLE run_device
	ADD COLUMN sm_clock_mhz     double precision CHECK (sm_clock_mhz > 0),
	-- taken while kernels ran; NULL: none at any time
	ADD COLUMN sm_clock_samples bigint CHECK (sm_clock_samples >= 0),
	ADD COLUMN sm_clock_reason  text, -- why the clock is unknown
	ADD CONSTRAINT run_device_clock
		CHECK (sm_clock_mhz IS NULL OR sm_clock_reason IS NULL);

ALTER TABLE run
	-- NULL: bounds are only by the data sheet's peaks, for this reason
	ADD COLUMN sm_clock_mhz    double precision CHECK (sm_clock_mhz > 0),
	ADD COLUMN sm_clock_reason text,
	ADD CONSTRAINT run_clock
		CHECK (sm_clock_mhz IS NULL OR sm_clock_reason IS NULL);

-- The columns without this prefix are by the data sheet's peaks, so that runs
-- with and without a clock are comparable. NULL: no clock, the same values.
ALTER TABLE run_operator
	ADD COLUMN clock_sol_ps         bigint CHECK (clock_sol_ps >= 0),
	ADD COLUMN clock_compute_ns     bigint CHECK (clock_compute_ns >= 0),
	ADD COLUMN clock_headroom_ns    bigint CHECK (clock_headroom_ns >= 0),
	ADD COLUMN clock_above_bound_ns bigint CHECK (clock_above_bound_ns >= 0),
	ADD CONSTRAINT run_operator_clock CHECK (num_nulls(clock_sol_ps,
		clock_compute_ns, clock_headroom_ns, clock_above_bound_ns)
		IN (0, 4));

ALTER TABLE run_shape
	ADD COLUMN clock_sol_ns double precision CHECK (clock_sol_ns >= 0),
	ADD COLUMN clock_leg    text
		CHECK (clock_leg IN ('compute', 'memory', 'link')),
	ADD CONSTRAINT run_shape_clock
		CHECK (clock_sol_ns IS NULL OR sol_ns IS NOT NULL);

ALTER TABLE run_layer_row
	ADD COLUMN clock_sol_ps bigint CHECK (clock_sol_ps >= 0);
