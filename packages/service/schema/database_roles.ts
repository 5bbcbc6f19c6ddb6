import { type Database, sqlFile } from "@sabika/database";

const readRoles = sqlFile("statements/roles.sql", import.meta.url);

/** The roles that a login can be a member of (Decision D48). */
export type DatabaseRole =
  | "sabika_owner"
  | "sabika_app"
  | "sabika_operator"
  | "sabika_break_glass"
  | "sabika_read"
  | "sabika_monitor";

/**
 * Makes the roles in the database's cluster and hands the database over to `sabika_owner`, with all
 * that is in it. May be run again.
 *
 * @param database opened as a superuser, or as its owner who may make roles
 */
export async function makeDatabaseRoles({ sql }: Database): Promise<void> {
  await sql.unsafe(await readRoles());
}

/**
 * Makes a login that has the privileges of a role and no others, or gives it another password.
 *
 * @param database opened as a superuser
 */
export async function makeDatabaseLogin(
  { sql }: Database,
  login: { name: string; password: string; role: DatabaseRole },
): Promise<void> {
  const { name, password, role } = login;
  await sql.begin(async (tx) => {
    // Keeps the password out of the logs, even when this fails.
    await tx`select set_config(name, value, true) from (values ('log_statement', 'none'),
      ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic')) as s (name, value)`;
    const [found] = await tx`select from pg_roles where rolname = ${name}`;
    if (found === undefined) await tx`create role ${tx(name)}`;
    const [row] = await tx<{ statement: string }[]>`select format(
      'ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD %L',
      ${name}::text, ${password}::text) as statement`;
    await tx.unsafe(row!.statement);
    await tx`grant ${tx(role)} to ${tx(name)}`;
  });
}
