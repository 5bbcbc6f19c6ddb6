import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { ERROR_CODES, type ErrorCode, EVENT_TYPES, RETRYABLE } from "@sabika/protocol";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";
import { ERRORS_PAGE_FILE, errorsPage } from "./errors_page.ts";
import { openApiDocument } from "./document/open_api.ts";
import { refusalsOf } from "./document/responses.ts";
import { OPERATION_LIST, OPERATIONS } from "./operations.ts";

const baseUrl = "https://sabika.test";

test("docs/openapi.json is the document that the sandbox serves: npm run reference writes it", async () => {
  assertEquals(await readFile(DOCUMENT_FILE, "utf8"), documentText());
});

test("docs/errors.md says of every code what the service's tables say: npm run reference writes it", async () => {
  const page = await readFile(ERRORS_PAGE_FILE, "utf8");
  assertEquals(page, errorsPage());
  const rows = [...page.matchAll(/^\| `(\w+)` \| .+ \| (yes|no) \|$/gm)];
  assertEquals(
    new Map(rows.map(([, code, repeat]) => [code, repeat === "yes"])),
    new Map(Object.entries(RETRYABLE)),
  );
});

test("every error code appears with an operation that can give it", () => {
  const described = new Set<ErrorCode>(
    OPERATION_LIST.flatMap(([, described]) => refusalsOf(described)),
  );
  // 405 is the answer to what is no operation.
  assertEquals(ERROR_CODES.filter((code) => !described.has(code)), ["method_not_allowed"]);
});

test("only an order can find its quote used, and only signed requests a wrong signature", () => {
  const givenBy = (code: ErrorCode) =>
    OPERATION_LIST.filter(([, operation]) => refusalsOf(operation).includes(code)).map(([id]) =>
      id
    );
  assertEquals(givenBy("quote_already_used"), ["createOrder"]);
  assert(givenBy("signature_invalid").every((id) => OPERATIONS[id].door !== "read"));
});

test("there is a webhook for every type of event", () => {
  const { webhooks } = openApiDocument({ environment: "sandbox", baseUrl }) as { webhooks: object };
  assertEquals(Object.keys(webhooks), [...EVENT_TYPES]);
});

test("production's document has no operation of the sandbox, and its own address", () => {
  const text = JSON.stringify(openApiDocument({ environment: "production", baseUrl }));
  assert(!text.includes('"/sandbox/fund":') && !text.includes("FundingRequest"));
  assert(!text.includes("/components/examples/simulation_invalid"));
  assert(
    text.includes(`"url":"${baseUrl}"`) && text.includes(`"tokenUrl":"${baseUrl}/oauth/token"`),
  );
});

test("the document holds nothing that JSON cannot say", () => {
  const document = openApiDocument({ environment: "sandbox", baseUrl });
  assertEquals(JSON.parse(JSON.stringify(document)), document);
});
