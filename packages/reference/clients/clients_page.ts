import { OPERATION_LIST, type OperationId } from "../operations.ts";
import { goName } from "./go_names.ts";
import { METHODS, WITHOUT_METHOD } from "./methods.ts";
import { camel } from "./words.ts";

/** The committed page. */
export const CLIENTS_PAGE_FILE = new URL("../../../docs/clients.md", import.meta.url);

const HEAD = `# The clients

What each client calls an operation of the API. The table is written by \`npm run reference\`; \`npm run clients\` calls every operation that has a method in a sandbox ([D117](decisions/sdk.md#d117-one-source-for-all-clients)). The clients: [TypeScript](partner.md#the-sdk), [Python](../clients/python/README.md), [Go](../clients/go/README.md), [Java](../clients/java/README.md).

From an empty folder with empty caches to a first signed order took 16 s in TypeScript, 7 in Python, 15 in Go and 9 in Java, beside a sandbox that \`npm start\` had ready 11 s after the clone (two cores).

| operation | TypeScript | Python | Go | Java |
|---|---|---|---|---|
`;

/** Makes docs/clients.md: the methods of each client by operation. */
export function clientsPage(): string {
  const rows = OPERATION_LIST.map(([id, { method, path }]) => {
    const names = namesOf(id);
    const cells = names ?? [`— ${WITHOUT_METHOD[id] ?? ""}`, "—", "—", "—"];
    return `| \`${method} ${path}\` | ${cells.join(" | ")} |\n`;
  });
  return HEAD + rows.join("");
}

function namesOf(id: OperationId): string[] | undefined {
  const methods = METHODS.filter(({ operation }) => operation === id);
  if (methods.length === 0) return undefined;
  const written = [
    methods.map(({ name, typescript }) => typescript ?? camel(name)),
    methods.map(({ name }) => name),
    // In Go a quote by gold and one by money are one method.
    methods.map(({ name }) => goName(name.replace("_for_money", ""))),
    methods.map(({ name }) => camel(name)),
  ];
  return written.map((names) => [...new Set(names)].map((name) => `\`${name}\``).join(", "));
}
