import { readFile } from "node:fs/promises";
import { RefusedError } from "../outcome.ts";

/** The variables that name a URL of control's database; each has a twin `<name>_FILE`. */
export type UrlName =
  | "SABIKA_DATABASE_URL"
  | "SABIKA_OWNER_DATABASE_URL"
  | "SABIKA_BREAK_GLASS_DATABASE_URL";

/** A database's URL from the file in `<name>_FILE`, else from the variable; undefined without both. */
export async function readNamedUrl(
  env: Readonly<Record<string, string | undefined>>,
  name: UrlName,
): Promise<string | undefined> {
  const file = env[`${name}_FILE`];
  if (file === undefined) return env[name];
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    throw new RefusedError("database_unavailable", `${name}_FILE: ${file} cannot be read`);
  }
}
