-- 0023_sm_clock.sql - the SM clock while kernels ran, at which a run's compute
-- peaks are taken. Rows from before have neither a clock nor a reason.

ALTER TABLE run_device
	ADD COLUMN sm_clock_mhz     double precision CHECK (sm_clock_mhz > 0),
	-- taken while kernels ran; NULL: none at any time
	ADD COLUMN sm_clock_samples bigint CHECK (sm_clock_samples >= 0),
	ADD COLUMN sm_clock_reason  text, -- why the clock is unknown
	ADD CONSTRAINT run_device_clock
		CHECK (sm_clock_mhz IS NULL OR sm_clock_reason IS NULL);

ALTER TABLE run
	-- NULL: the peaks are those of the data sheet, for this reason
	ADD COLUMN sm_clock_mhz    double precision CHECK (sm_clock_mhz > 0),
	ADD COLUMN sm_clock_reason text,
	ADD CONSTRAINT run_clock
		CHECK (sm_clock_mhz IS NULL OR sm_clock_reason IS NULL);
