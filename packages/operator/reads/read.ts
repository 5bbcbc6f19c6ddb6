import type { ListRead, OneRead, Read } from "@sabika/office/reads";
import { isJsonObject, type JsonValue, type Page } from "@sabika/protocol";
import type { Session } from "../connect/session.ts";
import { notFound, RefusedError } from "../outcome.ts";

/** What a read of the table is asked for: the parts of its path and what follows the `?`. */
export interface Asking {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Asks a read of the office that is named, else of the database.
 *
 * @returns undefined when there is no such thing
 */
export async function readJson(
  session: Session,
  read: Read,
  { path = {}, query = {} }: Asking = {},
): Promise<JsonValue | undefined> {
  const search = Object.entries(query).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join("&");
  if (session.office === undefined) {
    // Who asks the office waits for no code of a database.
    const { readAtDatabase } = await import("./read_at_database.ts");
    return await readAtDatabase(session, read, path, search);
  }
  const place = read.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]!));
  return await session.office.read(search === "" ? place : `${place}?${search}`);
}

/** One thing; undefined when it is not there. */
export async function findOne<T>(
  session: Session,
  read: OneRead<T>,
  asking?: Asking,
): Promise<T | undefined> {
  const json = await readJson(session, read, asking);
  return json === undefined ? undefined : read.form.read(json);
}

/** One thing that is always there. */
export async function readOne<T>(
  session: Session,
  read: OneRead<T>,
  asking?: Asking,
): Promise<T> {
  return await findOne(session, read, asking) ?? refuseRead(read, asking);
}

/** All of a list that comes whole. */
export async function readAll<T>(
  session: Session,
  read: ListRead<T>,
  asking?: Asking,
): Promise<readonly T[]> {
  const json = await readJson(session, read, asking) ?? refuseRead(read, asking);
  return dataOf(json).map((item) => read.form.read(item));
}

/** The items of a list as they were answered, all of them or a page. */
export async function readItems(
  session: Session,
  read: ListRead<unknown>,
  asking?: Asking,
): Promise<Page<JsonValue>> {
  const json = await readJson(session, read, asking) ?? refuseRead(read, asking);
  const next = isJsonObject(json) ? json.get("next_cursor") : undefined;
  return { data: dataOf(json), nextCursor: typeof next === "string" ? next : null };
}

function dataOf(json: JsonValue): readonly JsonValue[] {
  const data = isJsonObject(json) ? json.get("data") : undefined;
  if (Array.isArray(data)) return data;
  throw new RefusedError("office_unavailable", "what answers there is no office");
}

/** Of what is always there, the partner whose it would be is what is not. */
function refuseRead({ path }: Read, { path: named, query }: Asking = {}): never {
  const partner = named?.["partner"] ?? query?.["client_id"];
  if (partner !== undefined) throw notFound(`partner "${partner}"`);
  throw new RefusedError("not_found", `the office has no ${path}`);
}
