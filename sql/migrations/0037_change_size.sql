-- 0037_change_size.sql - how large a recorded change point is, and whether it is for
-- the worse, so that a list of them need not read the series. NULL in rows from
-- before: unknown.

ALTER TABLE change_point
	ADD COLUMN change_pct float8 -- of the level before; NULL also: that was 0
		CHECK (change_pct > '-Infinity' AND change_pct < 'Infinity'),
	ADD COLUMN worse boolean;
