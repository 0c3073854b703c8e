-- 0041_unreadable.sql - the version of kernsiftd that found a fault in the file itself. The
-- same version finds it again, so another try would not help. NULL: another try may help.
ALTER TABLE upload ADD COLUMN unreadable_by text CHECK (unreadable_by <> '');
