-- These are made anew with another argument.
DROP FUNCTION IF EXISTS close_days(integer);
DROP FUNCTION IF EXISTS sum_margins(integer);
