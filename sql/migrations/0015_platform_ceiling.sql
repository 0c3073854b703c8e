-- 0015_platform_ceiling.sql - what `kernsift calibrate` measured on a device of a platform.

CREATE TABLE platform_ceiling (
	platform    text COLLATE "C" PRIMARY KEY CHECK (platform <> ''),
	-- As it was uploaded; the catalog defines what it means.
	document    text NOT NULL CHECK (octet_length(document) <= 1048576),
	measured_at timestamptz NOT NULL,
	stored_at   timestamptz NOT NULL DEFAULT now()
);
