import type { ListRead, OneRead, Read } from "@sabika/office/reads";
import { isJsonObject, type JsonValue, type Page } from "@sabika/protocol";
import type { Session } from "../connect/session.ts";
import { notFound, RefusedError } from "../outcome.ts";

/** A read's parameters: the variable parts of its path, and its query. */
export interface Asking {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Answers a read from the office that is named, else from the database.
 *
 * @returns undefined when what is read does not exist
 */
export async function readJson(
  session: Session,
  read: Read,
  { path = {}, query = {} }: Asking = {},
): Promise<JsonValue | undefined> {
  const search = Object.entries(query).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join("&");
  if (session.office === undefined) {
    // Loaded on demand: a command that speaks to the office needs no database code.
    const { readAtDatabase } = await import("./read_at_database.ts");
    return await readAtDatabase(session, read, path, search);
  }
  const place = read.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]!));
  return await session.office.read(search === "" ? place : `${place}?${search}`);
}

/** Reads one thing; undefined when it does not exist. */
export async function findOne<T>(
  session: Session,
  read: OneRead<T>,
  asking?: Asking,
): Promise<T | undefined> {
  const json = await readJson(session, read, asking);
  return json === undefined ? undefined : read.form.read(json);
}

/** Reads one thing that always exists; throws a `RefusedError` if its partner does not. */
export async function readOne<T>(session: Session, read: OneRead<T>, asking?: Asking): Promise<T> {
  return await findOne(session, read, asking) ?? refuseRead(read, asking);
}

/** Reads a list that is not paged; throws a `RefusedError` if its partner does not exist. */
export async function readAll<T>(
  session: Session,
  read: ListRead<T>,
  asking?: Asking,
): Promise<readonly T[]> {
  const json = await readJson(session, read, asking) ?? refuseRead(read, asking);
  return dataOf(json).map((item) => read.form.read(item));
}

/** Reads a list's items as JSON: all of them, or a page with the cursor of the next. */
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

/** Refuses a read that always finds something: the partner that it names does not exist. */
function refuseRead({ path }: Read, { path: named, query }: Asking = {}): never {
  const partner = named?.["partner"] ?? query?.["client_id"];
  if (partner !== undefined) throw notFound(`partner "${partner}"`);
  throw new RefusedError("not_found", `the office has no ${path}`);
}
