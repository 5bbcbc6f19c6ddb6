import type { AnySql } from "@sabika/database";

/** Reads who owns each table, sequence and function of the schema, and who else may do what with it: a line each. */
export async function readPrivileges(sql: AnySql): Promise<{ owner: string; line: string }[]> {
  return await sql<{ owner: string; line: string }[]>`
    with objects as (
      select oid, relname::text as name, relowner as owner, coalesce(relacl, acldefault('r', relowner))
        as acl from pg_class where relnamespace = 'public'::regnamespace
        and relkind not in ('i', 'I', 'S') and not relispartition
      union all select oid, relname, relowner, coalesce(relacl, acldefault('s', relowner)) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'S'
      union all select oid, format('%s(%s)', proname, pronargs) ||
          coalesce(' ' || nullif(cardinality(proargmodes) - pronargs, 0), ''), proowner,
          coalesce(proacl, acldefault('f', proowner))
        from pg_proc where pronamespace = 'public'::regnamespace
      union all select oid, 'schema ' || nspname, nspowner, nspacl from pg_namespace
        where nspname = 'public'
    ), granted as (
      select o.oid, a.grantee, a.privilege_type as privilege from objects o, aclexplode(o.acl) a
      union all
      select attrelid, a.grantee, a.privilege_type || '(' || string_agg(attname, ' ' order by attnum)
        || ')'
      from pg_attribute, aclexplode(attacl) a group by attrelid, a.grantee, a.privilege_type
    ), by_role as (
      select g.oid, g.grantee, case g.grantee when 0 then 'PUBLIC' else g.grantee::regrole::text end
        || ' ' || string_agg(lower(g.privilege), ',' order by g.privilege) as may
      from granted g join objects o using (oid) where g.grantee <> o.owner group by 1, 2
    )
    select o.owner::regrole::text as owner,
      o.name || ':' || coalesce(string_agg(' ' || replace(may, 'sabika_', ''), ';' order by may), '')
        as line
    from objects o left join by_role using (oid) group by o.oid, o.name, o.owner
    order by o.name`;
}
