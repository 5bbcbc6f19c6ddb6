import type { Database } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import type { ListQuery } from "@sabika/service/lists";
import type { PartnerRecord } from "@sabika/service/partners";
import type { Reading } from "@sabika/service/trading";
import type { ActName } from "@sabika/terms";
import type { AwayCell, FromCells, InCells } from "../oversight/in_cells.ts";
import { type Environment, type Form, list as listOf, type Shape } from "@sabika/protocol";
import type { Column } from "./columns.ts";
import type { Filter } from "./filters.ts";

// A read is described without a database, so that a command that asks the office loads none: `find`
// imports what it needs when it is called.

/** The context of reads: the office's databases, or those that a command opened. */
export interface ReadContext {
  /** Control's database, with a role that reads every table. */
  readonly database: Database;
  /** Reads partners' rows, whichever cell they are in. */
  readonly cells: InCells;
  /** Opens a cell's database, by the cell's name; rejects when it cannot be used. */
  readonly openCell: (cellId: string) => Promise<Database>;
  /** The name of the person who asks, for what is kept of it: a recount, or who opened a reserve. */
  readonly who: string;
  /** From where they ask. */
  readonly from: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called only where it is needed: a new database has none yet. */
  readonly environment: () => Promise<Environment>;
  readonly secrets: Pick<Secrets, "open">;
}

/** A partner, with the database of its rows and what can be read there. */
export interface Home extends PartnerRecord {
  readonly database: Database;
  readonly reading: Reading;
}

/** A request for a read: its path, page and filters. */
export interface ReadRequest {
  /** The parts of the path, by their names; decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The page of a list, and its period. */
  readonly query: Omit<ListQuery, "partnerId">;
  /** The values of the read's own filters, by name; without those left out. */
  readonly filter: Readonly<Record<string, string>>;
}

/** The input of `find`: the request, and the databases to read in. */
export interface FindInput extends ReadContext, ReadRequest {
  /** Reads in every cell, or in that of a partner; finds nothing for an unknown partner. */
  inEachCell<T>(
    clientId: string | undefined,
    read: (database: Database) => Promise<T>,
  ): Promise<FromCells<T>>;
  /** Like `inEachCell`, of what no person writes: for a page of the console on standbys (Decision D121). */
  pastInEachCell: FindInput["inEachCell"];
  /** The functions that read what partners themselves can read, on one database. */
  readingOf(database: Database): Promise<Reading>;
  /** Finds the partner that the path names; undefined when there is none. */
  home(): Promise<Home | undefined>;
}

/** A part of a list. */
export interface Part<T> {
  readonly data: readonly T[];
  /** The cursor of the next page; undefined at the end of the list. */
  readonly next?: string | undefined;
  /** The cells whose part it lacks; none when left out. */
  readonly away?: readonly AwayCell[];
}

/** A text in each language of the console. */
export interface Words {
  readonly en: string;
  readonly ar: string;
}

/** The kinds of work that the console groups its pages by. */
export type PageGroup = "today" | "trading" | "partners" | "treasury" | "custody" | "control";

/** A page's title, which is its entry of the navigation too, and the group of that entry. */
export interface PageTitle extends Words {
  readonly group: PageGroup;
}

/** The command that a read is offered as. */
export interface ReadCommand {
  readonly noun: string;
  readonly verb: string;
  readonly brief: string;
  readonly examples: readonly string[];
  /** The argument that names the resource, for a read of one. */
  readonly argument?: readonly [placeholder: string, brief: string];
}

/** The console's page that shows a read, and its file. */
export interface ReadPage {
  /** The path after the language; the file's ends in `.csv`. */
  readonly path: string;
  /** Its title and entry in the navigation, where the console has no file for it. */
  readonly title?: PageTitle;
  /** Its columns in their order. */
  readonly columns: readonly string[];
  /** The file's columns, if not the page's; `id as order_id` gives one another name there. */
  readonly file?: readonly string[];
  /** Shown in place of a list without rows. */
  readonly nothing: Words;
  readonly caption: Words;
}

/** The members of every read. */
interface About {
  /** The path after `/admin/v1`; a part in braces is a parameter. */
  readonly path: string;
  /** The act whose roles may ask for it. */
  readonly act: ActName;
  readonly summary: string;
  /** Its own query parameters, by name. */
  readonly filters?: Readonly<Record<string, Filter>>;
  /** How command, pages and files show the members of its answer. */
  readonly columns?: Readonly<Record<string, Column>>;
  readonly command?: ReadCommand;
}

/** A list's parameters besides its filters: none; a page; page and period; these and an Idempotency-Key. */
export type ListedBy = "all" | "page" | "period" | "key";

/** A read of one thing. */
export interface OneRead<T> extends About {
  readonly kind: "one";
  readonly form: Form<T>;
  /** Returns undefined when there is no such thing. */
  find(input: FindInput): Promise<T | undefined>;
}

/** A read of a list; without `page` the console has no page of it. */
export interface ListRead<T> extends About {
  readonly kind: "list";
  readonly by: ListedBy;
  readonly page?: ReadPage;
  /** The form of one item. */
  readonly form: Form<T>;
  /** Returns undefined when the list's partner does not exist. */
  find(input: FindInput): Promise<Part<T> | undefined>;
}

/** A `GET` of the Admin API, and the command, page and file made of it. */
export type Read<T = unknown> = OneRead<T> | ListRead<T>;

/** Makes a read of one thing. */
export function single<T>(read: Omit<OneRead<T>, "kind">): OneRead<T> {
  return { ...read, kind: "one" };
}

/** Makes a read of a list that is short enough to be answered whole. */
export function whole<T>(
  { find, ...read }: Omit<ListRead<T>, "kind" | "by" | "find"> & {
    find(input: FindInput): Promise<readonly T[] | undefined>;
  },
): ListRead<T> {
  return {
    ...read,
    kind: "list",
    by: "all",
    async find(input) {
      const data = await find(input);
      return data && { data };
    },
  };
}

/** Makes a read of a list. */
export function paged<T>(read: Omit<ListRead<T>, "kind">): ListRead<T> {
  return { ...read, kind: "list" };
}

/** Returns the JSON Schema of a read's answer. */
export function shapeOf(read: Read): Shape {
  const { form } = read;
  if (read.kind === "one") return form.shape;
  const data = listOf(form).shape;
  if (read.by === "all") return { type: "object", properties: { data }, required: ["data"] };
  return {
    type: "object",
    properties: {
      data,
      has_more: { type: "boolean" },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["data", "has_more", "next_cursor"],
  };
}
