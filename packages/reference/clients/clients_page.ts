import { OPERATION_LIST, type OperationId } from "../operations.ts";
import { goName } from "./go_names.ts";
import { METHODS, WITHOUT_METHOD } from "./methods.ts";
import { camel } from "./words.ts";

/** The committed page. */
export const CLIENTS_PAGE_FILE = new URL("../../../docs/clients.md", import.meta.url);

const HEAD = `# The clients

What each client calls an operation of the API. The table is written by \`npm run reference\`; \`npm run clients\` calls every operation that has a method in a sandbox ([D117](decisions/sdk.md#d117-one-source-for-all-clients)). The clients: [TypeScript](partner.md#the-sdk), [Python](../clients/python/README.md), [Go](../clients/go/README.md), [Java](../clients/java/README.md).

All of them fetch tokens, keep them in memory and renew them in time, correct their clock by the service's, and may be used from several threads. Without an answer, or on 408, 429 or 5xx, a call is sent again with the same \`Idempotency-Key\` and a fresh signature, after \`Retry-After\` or a doubling pause; with an \`Idempotency-Key\` of your own the same call is safe after a crash too. Of an error, decide by its code (or class), and quote its request id to the operator; *retryable* says that the same call may succeed later. \`reload\` goes on with another certificate or key and loses no call; the proxy is that of \`HTTPS_PROXY\`, or an option.

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
