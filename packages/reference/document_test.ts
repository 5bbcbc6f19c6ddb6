import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { ERROR_CODES, type ErrorCode, EVENT_TYPES, RETRYABLE, STATUS_OF } from "@sabika/protocol";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";
import { openApiDocument } from "./document/open_api.ts";
import { refusalsOf } from "./document/responses.ts";
import { OPERATION_LIST, OPERATIONS } from "./operations.ts";

const baseUrl = "https://sabika.test";

test("docs/openapi.json is the document that the sandbox serves: npm run reference writes it", async () => {
  assertEquals(await readFile(DOCUMENT_FILE, "utf8"), documentText());
});

test("docs/errors.md has every code under its status, with whether it is retryable", async () => {
  const page = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const rows = page.split(/^## /m).slice(1).flatMap((section) =>
    [...section.matchAll(/^\| `(\w+)` \| .+ \| .+ \| (yes|no) \|$/gm)].map(([, code, repeat]) =>
      [code, { status: Number.parseInt(section), isRetryable: repeat === "yes" }] as const
    )
  );
  assertEquals(rows.length, ERROR_CODES.length);
  for (const code of ERROR_CODES) {
    const expected = { status: STATUS_OF[code], isRetryable: RETRYABLE[code] };
    assertEquals(new Map(rows).get(code), expected, code);
  }
});

test("every error code appears with an operation that can return it", () => {
  const described = new Set<ErrorCode>(
    OPERATION_LIST.flatMap(([, described]) => refusalsOf(described)),
  );
  // 405 answers methods that are not operations.
  assertEquals(ERROR_CODES.filter((code) => !described.has(code)), ["method_not_allowed"]);
});

test("only an order can find its quote used, and only signed requests a wrong signature", () => {
  const refusedBy = (code: ErrorCode) =>
    OPERATION_LIST.filter(([, operation]) => refusalsOf(operation).includes(code)).map(([id]) =>
      id
    );
  assertEquals(refusedBy("quote_already_used"), ["createOrder"]);
  assert(refusedBy("signature_invalid").every((id) => OPERATIONS[id].door !== "read"));
});

test("there is a webhook for every type of event", () => {
  const { webhooks } = openApiDocument({ environment: "sandbox", baseUrl }) as { webhooks: object };
  assertEquals(Object.keys(webhooks), [...EVENT_TYPES]);
});

test("production's document has no operation of the sandbox, and its own address", () => {
  const text = JSON.stringify(openApiDocument({ environment: "production", baseUrl }));
  assert(
    !text.includes('"/sandbox/fund":') && !text.includes("FundingRequest") &&
      !text.includes("scenario"),
  );
  assert(
    text.includes(`"url":"${baseUrl}"`) && text.includes(`"tokenUrl":"${baseUrl}/oauth/token"`),
  );
});

test("the document has only values that JSON can express", () => {
  const document = openApiDocument({ environment: "sandbox", baseUrl });
  assertEquals(JSON.parse(JSON.stringify(document)), document);
});
