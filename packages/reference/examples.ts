import { readFileSync } from "node:fs";

/** The names of the examples. */
type ExampleName =
  | (
    | "health"
    | "unavailable"
    | "token"
    | "price"
    | "priceHistory"
    | "me"
    | "limits"
    | "probe"
    | "balances"
  )
  | ("quoteRequest" | "quote" | "orderRequest" | "order" | "orderWithBalances")
  | ("fundingRequest" | "funding" | "withdrawalRequest" | "withdrawal" | "ledgerEntry")
  | ("credentialRequest" | "requestedCredential")
  | ("scenarioRequest" | "scenario")
  | ("vault" | "vaultVersion" | "reserve" | "reserveOpening")
  | ("statement" | "webhookEnabled" | "deliveryAttempt" | "expiringCredential" | "signedEvidence");

/** The examples in document and page, as JSON; a test reads each with its form. */
export const EXAMPLES: Readonly<Record<ExampleName, Readonly<Record<string, unknown>>>> = JSON
  .parse(readFileSync(new URL("./examples.json", import.meta.url), "utf8"));

/** The time in the examples. */
export const EXAMPLE_TIME = "2026-11-20T09:00:00.000Z";
