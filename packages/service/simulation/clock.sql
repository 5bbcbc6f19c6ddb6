-- The time of the service: the database's clock, which the partner of a sandbox may have set forward (Decision D111).
-- What people sign and nonces keep to the real clock.
CREATE OR REPLACE FUNCTION service_time() RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
  RETURN clock_timestamp() + coalesce((SELECT clock_ahead_ms FROM scenario), 0) * interval '1 ms';
END $$;
