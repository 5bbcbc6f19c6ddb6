import { PUBLIC_SCHEMA } from "@sabika/database";

/** How a release names the schema that its tables and functions are in. */
const NAMED =
  /(?<=search_path = )public(?=, pg_temp\b)|(?<=SCHEMA )public\b|"public"(?=\.)|'public'/g;

/**
 * Adapts a release's statements for a schema other than `public`. Functions are pinned to it, so that a
 * caller's `search_path` does not matter.
 *
 * @param statements as they are in a release, for `public`
 * @param schema a name that needs no quotes
 */
export function inSchema(statements: string, schema: string): string {
  if (schema === PUBLIC_SCHEMA) return statements;
  return statements.replace(NAMED, (found) => found.replace(PUBLIC_SCHEMA, schema));
}
