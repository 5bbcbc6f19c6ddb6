-- Creates the roles of Decision D48 and hands this database over to sabika_owner. It is run by a superuser,
-- or by a managed database's administrator who owns the database and may create roles, before the first
-- `sabika migrate` or at any later time, and may be run again. docs/operator.md says how.
SET lock_timeout = '5s';

DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['sabika_owner', 'sabika_app', 'sabika_operator',
    'sabika_break_glass', 'sabika_read', 'sabika_monitor'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
    EXCEPTION
      -- Roles belong to the cluster: another database may have created them, or be creating them.
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
  -- It may do what the operator may, and write the audit entry of an act without a person (demand_person.sql).
  IF NOT pg_has_role('sabika_break_glass', 'sabika_operator', 'USAGE') THEN
    GRANT sabika_operator TO sabika_break_glass;
  END IF;
EXCEPTION
  -- Another database of the cluster was quicker.
  WHEN unique_violation THEN NULL;
END $$;

DO $$
DECLARE
  v_object record;
  -- The schema that the connection's search_path names, if it names one (Decision D53).
  v_schema text := CASE WHEN current_setting('search_path') = '"$user", public' THEN 'public'
    ELSE current_schema() END;
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO sabika_owner, sabika_app, sabika_operator,
    sabika_break_glass, sabika_read, sabika_monitor', current_database());
  -- The role that reads the database's statistics may not read any of the tables.
  BEGIN
    GRANT pg_monitor TO sabika_monitor;
  EXCEPTION
    WHEN insufficient_privilege THEN RAISE WARNING 'pg_monitor is not yours to give to sabika_monitor';
  END;
  -- Only a member of a role may make it an owner; from PostgreSQL 16 on its creator is no member yet.
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('GRANT sabika_owner TO %I', current_user);
  END IF;
  EXECUTE format('ALTER SCHEMA %I OWNER TO sabika_owner', v_schema);
  EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', v_schema);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO sabika_app, sabika_operator, sabika_read', v_schema);

  FOR v_object IN SELECT oid::regclass AS name FROM pg_class
    WHERE relnamespace = v_schema::regnamespace AND relkind IN ('r', 'p')
      AND relowner <> 'sabika_owner'::regrole
  LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO sabika_owner', v_object.name);
  END LOOP;
  FOR v_object IN SELECT oid::regprocedure AS name FROM pg_proc
    WHERE pronamespace = v_schema::regnamespace AND proowner <> 'sabika_owner'::regrole
  LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO sabika_owner', v_object.name);
  END LOOP;

  -- PostgreSQL lets everybody run DO blocks and create large objects.
  REVOKE ALL ON LANGUAGE plpgsql, sql FROM PUBLIC;
  GRANT USAGE ON LANGUAGE plpgsql, sql TO sabika_owner;
  FOR v_object IN SELECT oid::regprocedure AS name FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_open', 'lo_put', 'lo_unlink')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_object.name);
  END LOOP;

  IF to_regprocedure('grant_privileges()') IS NOT NULL THEN
    PERFORM grant_privileges();
  END IF;
END $$;
