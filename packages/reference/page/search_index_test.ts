import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { ERROR_CODES, EVENT_TYPES } from "@sabika/protocol";
import { openApiDocument } from "../document/open_api.ts";
import { OPERATION_LIST } from "../operations.ts";
import { referencePage } from "./reference_page.ts";
import type { SearchEntry } from "./search_index.ts";

type Find = (entries: readonly SearchEntry[], query: string) => SearchEntry[];
const script = new URL("../assets/search.js", import.meta.url).href;
const { find } = await import(script) as { find: Find };

const settings = { environment: "sandbox", baseUrl: "https://sabika.test" } as const;
const { html } = await referencePage(settings);
const index = JSON.parse(
  /<script type="application\/json" id="search-index">(.*?)<\/script>/s.exec(html)![1]!,
) as SearchEntry[];

/** Lists the names of members, parameters and headers anywhere in the document. */
function fieldNames(): string[] {
  const names = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const { properties, parameters, example: _, examples: __, ...others } = value as Record<
      string,
      object
    >;
    if (!Array.isArray(value)) {
      for (const name of Object.keys(properties ?? {})) names.add(name);
      for (const { name } of (parameters ?? []) as { name?: string }[]) if (name) names.add(name);
    }
    for (const inner of Object.values({ ...others, ...properties })) visit(inner);
  };
  const { paths, components } = openApiDocument(settings) as Record<string, Record<string, object>>;
  visit({ paths, schemas: components!.schemas });
  return [...names];
}

test("the search finds every endpoint, field, error code and event by its name", () => {
  const fields = fieldNames();
  assert(fields.length > 150);
  const wanted = [
    ...OPERATION_LIST.map(([id]) => ["Endpoint", id] as const),
    ...OPERATION_LIST.map(([id, { method, path }]) => ["Endpoint", id, `${method} ${path}`]),
    ...fields.map((name) => ["Field", name] as const),
    ...ERROR_CODES.map((code) => ["Error", code] as const),
    ...EVENT_TYPES.map((type) => ["Event", type] as const),
  ];
  const missing = wanted.filter(([kind, name, query = name]) =>
    // Near the top: a few things have the name of another kind.
    !find(index, query!).slice(0, 5).some((entry) => entry.kind === kind && entry.name === name)
  );
  assertEquals(missing, []);
});

test("what the search finds is on the page", () => {
  const anchors = index.flatMap(({ places }) => places.map(([, anchor]) => anchor));
  assertEquals(anchors.filter((anchor) => !html.includes(` id="${anchor}"`)), []);
});

test("the search finds nothing for a blank query or an unknown word, and several words together", () => {
  assertEquals([find(index, " "), find(index, "gold_gramz")], [[], []]);
  assertEquals(find(index, "cancel withdrawal")[0]?.name, "cancelWithdrawal");
});
