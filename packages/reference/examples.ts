import { readFileSync } from "node:fs";

/** What there is an example of. */
type ExampleName =
  | ("health" | "unavailable" | "token" | "price" | "me" | "limits" | "probe" | "balances")
  | ("quoteRequest" | "quote" | "orderRequest" | "order" | "orderWithBalances")
  | ("fundingRequest" | "funding" | "withdrawalRequest" | "withdrawal" | "ledgerEntry")
  | ("statement" | "webhookEnabled" | "deliveryAttempt" | "expiringCredential");

/** What stands in the document and on the page, as JSON; a test reads each by its own form. */
export const EXAMPLES: Readonly<Record<ExampleName, Readonly<Record<string, unknown>>>> = JSON
  .parse(readFileSync(new URL("./examples.json", import.meta.url), "utf8"));

/** The moment of the examples. */
export const EXAMPLE_TIME = "2026-11-20T09:00:00.000Z";
