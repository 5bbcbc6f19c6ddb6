import type { Database } from "@sabika/database";
import { createReading } from "@sabika/service/trading";
import { list as listOf, pageToJson } from "@sabika/protocol";
import { readListQuery } from "@sabika/server";
import { Refused } from "../refused.ts";
import type { FindInput, ListRead, OneRead, Part, Read, ReadContext, ReadRequest } from "./read.ts";

/** The most items of a list that has no pages, unless a `limit` is given. */
const MOST_ITEMS = 1_000;

/**
 * Whether a list may lack the part of a cell that does not answer: a page may, and names the cell; files,
 * the API and commands may not.
 */
export type CellPolicy = "every cell" | "usable cells";

/**
 * Reads a part of a list.
 *
 * @returns undefined when the list's partner does not exist
 * @throws {Refused} for a wrong filter or cursor, or a cell that is needed and does not answer
 */
export async function readPart<T>(
  read: ListRead<T>,
  context: ReadContext,
  request: Partial<ReadRequest>,
  policy: CellPolicy,
): Promise<Part<T> | undefined> {
  return await read.find(inputOf(context, request, policy));
}

/** Reads one thing by the parts of its path; undefined when there is none. */
export async function readOne<T>(
  read: OneRead<T>,
  context: ReadContext,
  path: ReadRequest["path"],
): Promise<T | undefined> {
  return await read.find(inputOf(context, { path }, "every cell"));
}

/**
 * Answers a read as JSON.
 *
 * @param path the parts of its path, by their names; decoded
 * @param search what follows the `?`, as it came
 * @returns undefined when there is no such thing
 * @throws {Refused} for a wrong query, filter or cursor, or a cell that does not answer
 */
export async function answerRead(
  read: Read,
  context: ReadContext,
  path: ReadRequest["path"],
  search: string,
): Promise<string | undefined> {
  const request = { ...readSearch(read, search), path };
  const input = inputOf(context, request, "every cell");
  if (read.kind === "one") {
    const found = await read.find(input);
    return found === undefined ? undefined : read.form.write(found);
  }
  const part = await read.find(input);
  if (part === undefined) return undefined;
  if (read.by === "all") return `{"data":${listOf(read.form).write(part.data)}}`;
  const { data, next: nextCursor = null } = part;
  return pageToJson({ data, nextCursor }, read.form.write);
}

function inputOf(context: ReadContext, asked: Partial<ReadRequest>, policy: CellPolicy): FindInput {
  const { cells, now } = context;
  const { path = {}, query = { limit: MOST_ITEMS }, filter = {} } = asked;
  const readingOf = async (database: Database) =>
    createReading({ database, now, environment: await context.environment() });
  const isPage = policy === "usable cells";
  const inEachCell: FindInput["inEachCell"] = async (clientId, read) =>
    isPage
      ? await cells.readUsable(clientId, read)
      : { found: await cells.readEach(clientId, read), away: [] };
  return {
    ...context,
    path,
    query,
    filter,
    readingOf,
    inEachCell,
    // People may look at what is seconds old; files and programs may not.
    pastInEachCell: (clientId, read) =>
      inEachCell(clientId, isPage ? (database) => database.past(read) : read),
    async home() {
      const home = await cells.homeOf(path["partner"]!);
      return home && { ...home, reading: await readingOf(home.database) };
    },
  };
}

/** Reads the query of an address: filters, page and period. */
function readSearch(read: Read, search: string): Pick<ReadRequest, "query" | "filter"> {
  const { filter, rest } = takeFilters(read, search);
  if (read.kind === "one" || read.by === "all") {
    if (rest !== "") throw new Refused("invalid_request", "it takes no query");
    return { filter, query: { limit: Number(filter["limit"] ?? MOST_ITEMS) } };
  }
  const query = readListQuery(rest, [], read.by === "page" ? "paged" : "filtered");
  if (!query.ok) {
    const wrong = query.errors.map(({ pointer, message }) =>
      `${pointer.slice(1) || "the query"} ${message}`
    );
    throw new Refused("invalid_request", wrong.join("; "));
  }
  if (read.by === "period" && query.value.idempotencyKey !== undefined) {
    throw new Refused("invalid_request", "idempotency_key is asked of one partner");
  }
  return { filter, query: query.value };
}

/** Splits a query into the read's own filters and the rest. */
function takeFilters(
  { filters = {} }: Read,
  search: string,
): { filter: Record<string, string>; rest: string } {
  const filter: Record<string, string> = {};
  const rest = search.split("&").filter((pair) => {
    const [name = "", ...value] = pair.split("=");
    const definition = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (definition === undefined) return true;
    if (Object.hasOwn(filter, name)) throw new Refused("invalid_request", `${name} is given twice`);
    try {
      filter[name] = decodeURIComponent(value.join("="));
    } catch {
      throw new Refused("invalid_request", `${name} is not correctly percent-encoded`);
    }
    if (definition.values?.includes(filter[name]) === false) {
      throw new Refused("invalid_request", `${name} is one of ${definition.values.join(", ")}`);
    }
    if (definition.isCount && !/^[1-9][0-9]{0,5}$/.test(filter[name])) {
      throw new Refused("invalid_request", `${name} is a number from 1 to 999999`);
    }
    return false;
  });
  return { filter, rest: rest.join("&") };
}
