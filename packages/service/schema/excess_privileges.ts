import type { Database } from "@sabika/database";

/**
 * Lists what the role of this connection may do beyond serving (Decision D48), a few words each, the
 * worst first; empty for a member of `sabika_app` only.
 */
export async function findExcessPrivileges({ sql, schema }: Database): Promise<string[]> {
  const rows = await sql<{ reason: string }[]>`
    with me as (select * from pg_roles where rolname = session_user),
    tables as (
      select oid, relname from pg_class where relnamespace = ${schema}::regnamespace
        and relkind in ('r', 'p') and not relispartition
    )
    select 'is a superuser' as reason, 1 as rank from me where me.rolsuper
    union all select 'may make roles', 2 from me where rolcreaterole
    union all select 'may make databases', 2 from me where rolcreatedb
    union all select 'may replicate', 2 from me where rolreplication
    union all select 'passes row security', 2 from me where rolbypassrls
    union all select 'is a member of ' || r.rolname, 3 from me join pg_roles r
      on pg_has_role(me.oid, r.oid, 'MEMBER')
      where not me.rolsuper and r.oid <> me.oid and r.rolname not in ('sabika_app', 'sabika_read')
    union all select 'may make tables and functions', 4 from me
      where not me.rolsuper and has_schema_privilege(me.oid, ${schema}, 'CREATE')
    union all select 'may write ' || t.relname, 5 from me, tables t where not me.rolsuper and (
      has_table_privilege(me.oid, t.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
      or t.relname <> 'event_deliveries' and has_table_privilege(me.oid, t.oid, 'INSERT')
      or t.relname not in ('event_deliveries', 'webhook_lanes')
        and has_any_column_privilege(me.oid, t.oid, 'INSERT, UPDATE'))
    union all select 'calls functions that run as the superuser ' || o.rolname, 6
      from me, pg_roles o where not me.rolsuper and o.rolsuper and exists (select from pg_proc
        where pronamespace = ${schema}::regnamespace and prosecdef and proowner = o.oid)
    order by rank, reason`;
  return rows.map(({ reason }) => reason);
}
