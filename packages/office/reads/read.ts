import type { ActName } from "@sabika/core/admin";
import type { Database, Listing, ListQuery } from "@sabika/core/store";
import type { Reading } from "@sabika/core/trading";
import {
  type Form,
  type IdPrefix,
  list as listOf,
  pageToJson,
  parseId,
  type Shape,
} from "@sabika/protocol";
import { readListQuery } from "@sabika/server";
import type { Office, Person } from "../office.ts";
import { Refused } from "../refused.ts";

/** What a read is answered from. */
export interface Asked {
  readonly office: Office;
  /** What can be read of the partners whose rows are in a database. */
  readonly readingOf: (database: Database) => Reading;
  readonly person: Person;
  /** A part of the path, by its name; decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** What follows the `?`, as it came, without the read's own filters. */
  readonly query: string;
  /** The read's own filters that are given, by their names. */
  readonly filter: Readonly<Record<string, string>>;
}

/** What may be asked of a list beside `limit` and `cursor`, which each may have. */
export interface ListOptions {
  /** `paged`: nothing else; `filtered`: `created_from`, `created_to`, `status`, `idempotency_key`. */
  readonly kind: "paged" | "filtered";
  /** What `status` may be; there is no such filter without any. */
  readonly statuses?: readonly string[];
}

/** A `GET` of the Admin API: who may ask, what it answers, and what its document says. */
export interface Read {
  /** Behind `/admin/v1`; a part in braces is a parameter. */
  readonly path: string;
  /** The act whose roles open it. */
  readonly act: ActName;
  readonly summary: string;
  /** Undefined: it is no list that comes page by page. */
  readonly list?: ListOptions;
  /** What may be asked of it beside; each a text. */
  readonly filters?: readonly string[];
  readonly shape: Shape;
  /** The answer's JSON; undefined: there is no such thing. */
  readonly answer: (asked: Asked) => Promise<string | undefined>;
}

type About = Pick<Read, "path" | "act" | "summary" | "filters">;

/** A read of one thing. */
export function one<T>(
  of: About,
  form: Form<T>,
  find: (asked: Asked) => Promise<T | undefined>,
): Read {
  return {
    ...of,
    shape: form.shape,
    async answer(asked) {
      const found = await find(asked);
      return found === undefined ? undefined : form.write(found);
    },
  };
}

/** A read of all there are, which are few. */
export function all<T>(
  of: About,
  form: Form<T>,
  find: (asked: Asked) => Promise<readonly T[] | undefined>,
): Read {
  const forms = listOf(form);
  return {
    ...of,
    shape: {
      type: "object",
      properties: { data: forms.shape },
      required: ["data"],
    },
    async answer(asked) {
      const found = await find(asked);
      return found === undefined ? undefined : `{"data":${forms.write(found)}}`;
    },
  };
}

/** A read of a list, page by page, newest first (Decision D19). */
export function pages<T>(
  of: About & { list: ListOptions },
  { shape, write }: Form<T>,
  find: (
    asked: Asked,
    query: Omit<ListQuery, "partnerId">,
  ) => Promise<Listing<T> | undefined>,
): Read {
  return {
    ...of,
    shape: {
      type: "object",
      properties: {
        data: { type: "array", items: shape },
        has_more: { type: "boolean" },
        next_cursor: { type: ["string", "null"] },
      },
      required: ["data", "has_more", "next_cursor"],
    },
    async answer(asked) {
      const { kind, statuses = [] } = of.list;
      const query = readListQuery(asked.query, statuses, kind);
      if (!query.ok) throw new Refused("invalid_request", describe(query.errors));
      const listing = await find(asked, query.value);
      if (listing === undefined) return undefined;
      if (!listing.ok) throw new Refused("invalid_request", describe(listing.errors ?? []));
      return pageToJson(listing.page, write);
    },
  };
}

const describe = (errors: readonly { pointer: string; message: string }[]) =>
  errors.map(({ pointer, message }) => `${pointer.slice(1) || "the query"} ${message}`).join("; ");

/** @throws {Refused} when it is no id of that kind, which a list goes on after */
export function uuidOf(prefix: IdPrefix, cursor: string | undefined): string | undefined {
  const uuid = cursor === undefined ? undefined : parseId(prefix, cursor);
  if (cursor === undefined || uuid !== undefined) return uuid;
  throw new Refused("invalid_request", "cursor is not a next_cursor of this list");
}

/** One of the values that a filter may have; undefined when it is not given. */
export function oneOfFilter<T extends string>(
  { filter }: Asked,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = filter[name];
  const found = values.find((value) => value === given);
  if (given === undefined || found !== undefined) return found;
  throw new Refused("invalid_request", `${name} is one of ${values.join(", ")}`);
}

/**
 * Takes a read's own filters out of a query.
 *
 * @throws {Refused} for one that comes twice, or is not correctly encoded
 */
export function takeFilters(
  query: string,
  names: readonly string[],
): { filter: Record<string, string>; rest: string } {
  const filter: Record<string, string> = {};
  const rest = query.split("&").filter((pair) => {
    const [name = "", ...value] = pair.split("=");
    if (!names.includes(name)) return true;
    if (Object.hasOwn(filter, name)) throw new Refused("invalid_request", `${name} is given twice`);
    try {
      filter[name] = decodeURIComponent(value.join("="));
    } catch {
      throw new Refused("invalid_request", `${name} is not correctly percent-encoded`);
    }
    return false;
  });
  return { filter, rest: rest.join("&") };
}
