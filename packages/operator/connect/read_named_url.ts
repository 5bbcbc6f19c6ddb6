import { readFile } from "node:fs/promises";
import { RefusedError } from "../outcome.ts";

/** A database's URL, as servers get it: in a file, which no process list shows, or as it is. */
export async function readNamedUrl(
  env: Readonly<Record<string, string | undefined>>,
  name: "SABIKA_DATABASE_URL" | "SABIKA_OWNER_DATABASE_URL",
): Promise<string | undefined> {
  const file = env[`${name}_FILE`];
  if (file === undefined) return env[name];
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    throw new RefusedError("database_unavailable", `${name}_FILE: ${file} cannot be read`);
  }
}
