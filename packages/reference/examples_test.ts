import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as protocol from "@sabika/protocol";
import { EXAMPLES } from "./examples.ts";

const RESOURCES = {
  health: protocol.HEALTH,
  unavailable: protocol.HEALTH,
  token: protocol.TOKEN,
  price: protocol.PRICE,
  priceHistory: protocol.PRICE_HISTORY,
  me: protocol.ME,
  limits: protocol.LIMITS,
  probe: protocol.SIGNED_PROBE,
  balances: protocol.BALANCES,
  quote: protocol.QUOTE,
  order: protocol.ORDER,
  orderWithBalances: protocol.ORDER,
  funding: protocol.FUNDING,
  requestedCredential: protocol.REQUESTED_CREDENTIAL,
  scenario: protocol.SCENARIO,
  withdrawal: protocol.WITHDRAWAL,
  ledgerEntry: protocol.LEDGER_ENTRY,
  statement: protocol.STATEMENT,
  vault: protocol.VAULT,
  vaultVersion: protocol.POOL_VERSION,
  reserve: protocol.PUBLISHED_RESERVE,
  reserveOpening: protocol.RESERVE_OPENING,
  webhookEnabled: protocol.WEBHOOK_ENABLED,
  deliveryAttempt: protocol.DELIVERY_ATTEMPT,
  signedEvidence: protocol.SIGNED_EVIDENCE,
  expiringCredential: protocol.EXPIRING_CREDENTIAL,
} as unknown as Record<
  string,
  { read(json: protocol.JsonValue): object; write(value: object): string }
>;

const REQUESTS = {
  quoteRequest: protocol.QUOTE_REQUEST,
  orderRequest: protocol.ORDER_REQUEST,
  fundingRequest: protocol.FUNDING_REQUEST,
  credentialRequest: protocol.CREDENTIAL_REQUEST,
  scenarioRequest: protocol.SCENARIO_REQUEST,
  withdrawalRequest: protocol.WITHDRAWAL_REQUEST,
};

test("each example is unchanged after its form reads and writes it", () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    if (name in REQUESTS) continue;
    const { read, write } = RESOURCES[name]!;
    assertEquals(JSON.parse(write(read(protocol.parseJson(JSON.stringify(example))))), example);
  }
});

test("the service accepts each example of a request", () => {
  for (const [name, { parse }] of Object.entries(REQUESTS)) {
    const example = JSON.stringify(EXAMPLES[name as keyof typeof REQUESTS]);
    assert(parse(protocol.parseJson(example)).ok, name);
  }
});
