-- Makes the partition of the month (UTC) of a price's number if it does not exist.
CREATE OR REPLACE FUNCTION ensure_price_partition(p_number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ensure_partition('prices', m.month, (m.first_ms * 1000)::text, (m.next_ms * 1000)::text)
  FROM month_at(p_number / 1000) m;
END $$;

-- Makes the partitions of this month and the next, and drops the months that ended before the retention, at least a
-- year, but for that of the newest price.
CREATE OR REPLACE FUNCTION maintain_price_partitions(p_retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_ms bigint := extract(epoch FROM service_time()) * 1000;
  v_newest_ms bigint := (SELECT max(price_number) / 1000 FROM prices);
BEGIN
  PERFORM ensure_price_partition(ms * 1000) FROM unnest(ARRAY[v_ms, (month_at(v_ms)).next_ms]) AS ms;
  PERFORM drop_partitions('prices', (month_at(least(v_newest_ms,
    v_ms - greatest(p_retention_days, 365) * bigint '86400000'))).month);
END $$;
