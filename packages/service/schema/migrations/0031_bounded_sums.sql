-- These are made anew with another argument.
DROP FUNCTION IF EXISTS close_days(integer);
