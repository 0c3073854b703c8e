-- 0010_iqr.sql - the interquartile range of durations; NULL in rows from before.
ALTER TABLE run_kernel ADD COLUMN iqr_ns double precision;
ALTER TABLE run_copy ADD COLUMN iqr_ns double precision;
ALTER TABLE run_graph ADD COLUMN iqr_ns double precision;
ALTER TABLE run_shape ADD COLUMN iqr_ns double precision;
ALTER TABLE run_section ADD COLUMN iqr_ns double precision;
ALTER TABLE run_layer_row ADD COLUMN iqr_ns double precision;
ALTER TABLE run_breakdown
	ADD COLUMN iteration_iqr_ns double precision,
	ADD COLUMN layered_iqr_ns double precision;
