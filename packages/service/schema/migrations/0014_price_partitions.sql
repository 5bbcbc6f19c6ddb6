-- The book of prices by month (Decision D88): prices_<YYYYMM> has the numbers of a month in UTC. The table so far becomes
-- the partition of this month, and of all that is older: its rows stay where they are.
DO $$
DECLARE
  v_functions text[];
  v_dropped text;
  v_month timestamp;
  v_table text;
  v_grantee text;
BEGIN
  LOCK TABLE prices;
  SELECT array_agg(pg_get_functiondef(oid)), string_agg(oid::regprocedure::text, ', ') INTO v_functions, v_dropped
  FROM pg_proc WHERE 'prices'::regtype = ANY (proargtypes::oid[] || prorettype);
  IF v_dropped IS NOT NULL THEN
    EXECUTE 'DROP FUNCTION ' || v_dropped;
  END IF;
  -- Numbers may be ahead of a clock that was set back.
  SELECT date_trunc('month', greatest(clock_timestamp(), to_timestamp(max(price_number) / 1000000.0))
    AT TIME ZONE 'UTC') INTO v_month FROM prices;
  v_table := 'prices_' || to_char(v_month, 'YYYYMM');

  EXECUTE format('ALTER TABLE prices RENAME TO %I', v_table);
  EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT prices_pk TO %I', v_table, v_table || '_pk');
  EXECUTE format('DROP TRIGGER prices_immutable ON %I', v_table);
  EXECUTE format('CREATE TABLE prices (LIKE %I INCLUDING CONSTRAINTS,
    CONSTRAINT prices_pk PRIMARY KEY (price_number)) PARTITION BY RANGE (price_number)', v_table);
  CREATE TRIGGER prices_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON prices
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  FOR v_grantee IN SELECT DISTINCT a.grantee::regrole FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = v_table::regclass AND a.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('GRANT SELECT ON prices TO %s', v_grantee);
    EXECUTE format('REVOKE ALL ON %I FROM %s', v_table, v_grantee);
  END LOOP;

  EXECUTE format('ALTER TABLE prices ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', v_table,
    (extract(epoch FROM v_month + interval '1 month') * 1000000)::bigint);
  IF NOT EXISTS (SELECT FROM prices) THEN
    EXECUTE format('DROP TABLE %I', v_table);
    v_month := v_month - interval '1 month';
  END IF;
  -- Programs of the release before make none, until the functions are there.
  FOR v_month IN SELECT v_month + n * interval '1 month' FROM generate_series(1, 2) n LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF prices FOR VALUES FROM (%s) TO (%s)',
      'prices_' || to_char(v_month, 'YYYYMM'), (extract(epoch FROM v_month) * 1000000)::bigint,
      (extract(epoch FROM v_month + interval '1 month') * 1000000)::bigint);
  END LOOP;

  -- These have the type of the table's rows.
  FOREACH v_table IN ARRAY coalesce(v_functions, '{}') LOOP
    EXECUTE v_table;
  END LOOP;
END $$;
