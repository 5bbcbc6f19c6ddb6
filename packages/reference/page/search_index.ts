import { ERROR_CODES, type Shape, TITLE_OF } from "@sabika/protocol";
import { RESPONSE_HEADERS } from "../document/response_headers.ts";
import { DOOR_CONTRACTS } from "../door_contracts.ts";
import { EVENT_CONTRACTS } from "../events.ts";
import type { OPERATION_LIST } from "../operations.ts";
import { doorParameters } from "../parameters.ts";
import type { Schema } from "./schema_table.ts";

/** What the page's search finds by its name. */
export interface SearchEntry {
  readonly kind: "Endpoint" | "Field" | "Error" | "Event" | "Schema" | "Header";
  readonly name: string;
  /** More words to find it by; shown behind the name. */
  readonly about: string;
  /** The places on the page, each with its label and anchor: several for a field of several objects. */
  readonly places: readonly (readonly [label: string, anchor: string])[];
}

/** Makes the index of endpoints, fields, error codes, events, schemas and headers. */
export function searchIndex(
  operations: typeof OPERATION_LIST,
  schemas: readonly (readonly [name: string, schema: Schema])[],
): SearchEntry[] {
  const one = (kind: SearchEntry["kind"], name: string, about: string, anchor: string) => ({
    kind,
    name,
    about,
    places: [[name, anchor] as const],
  });
  return [
    ...operations.map(([id, { method, path, summary }]) =>
      one("Endpoint", id, `${method} ${path}, ${summary}`, id)
    ),
    ...ERROR_CODES.map((code) => one("Error", code, TITLE_OF[code], `error-${code}`)),
    ...EVENT_CONTRACTS.map(({ type, description }) =>
      one("Event", type, description, `event-${type}`)
    ),
    ...schemas.map(([name]) => one("Schema", name, "", `schema-${name}`)),
    ...Object.keys(RESPONSE_HEADERS).map((name) =>
      one("Header", name, "of answers", `header-${name}`)
    ),
    ...fieldsOf(operations, schemas),
  ];
}

/** Lists members and parameters, those of one name together. */
function fieldsOf(
  operations: typeof OPERATION_LIST,
  schemas: readonly (readonly [string, Schema])[],
): SearchEntry[] {
  const fields = new Map<string, [label: string, anchor: string][]>();
  const add = (name: string, label: string, anchor: string) =>
    fields.set(name, [...fields.get(name) ?? [], [label, anchor]]);
  for (const [title, { properties = {} }] of schemas) {
    for (const [member, schema] of Object.entries(properties)) {
      const anchor = `${title}.${member}`;
      add(member, title, anchor);
      for (const nested of membersWithin(schema)) add(nested, `${title}.${member}`, anchor);
    }
  }
  for (const [id, { door, parameters = [], replies }] of operations) {
    for (const { name } of [...parameters, ...doorParameters(DOOR_CONTRACTS[door])]) {
      add(name, id, `${id}.${name}`);
    }
    const unnamed = replies.flatMap(({ contents }) => contents)
      .filter(({ shape }) => shape.title === undefined);
    for (const member of unnamed.flatMap(({ shape }) => membersWithin(shape))) add(member, id, id);
  }
  return [...fields].map(([name, places]) => ({ kind: "Field", name, about: "", places }));
}

/** Lists the members of the objects without a name that a member has. */
function membersWithin({ properties = {}, items, anyOf = [] }: Schema | Shape): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [name, ...membersWithin(schema)]),
    ...[...anyOf, ...items === undefined ? [] : [items]].flatMap(membersWithin),
  ];
}
