import type { Trading } from "@sabika/service/trading";
import {
  type Outcome,
  refuse,
  SCENARIO,
  type Scenario,
  SCENARIO_REQUEST,
  type ScenarioRequest,
} from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** Begins what a partner asks for. */
export type BeginScenario = (
  call: SignedWriteCall,
  request: ScenarioRequest,
) => Promise<Outcome<Scenario>>;

/**
 * POST /sandbox/scenario: sets what happens next in the sandbox (Decision D111).
 *
 * @param begin undefined in production, where the route does not exist
 */
export function scenarioRoute(
  trading: Trading,
  begin: BeginScenario | undefined,
): Route<SignedWriteCall> {
  return async (call) => {
    const read = readRequest(call, SCENARIO_REQUEST.parse);
    if (!read.ok) return await refuseBody(trading, call, read);
    const { partner: { partnerId }, signed: { nonce: value, timestampSeconds } } = call;
    if (!await trading.spendNonce({ partnerId, value, timestampSeconds })) {
      return refuse("nonce_reused");
    }
    const begun = await begin!(call, read.request);
    return begun.ok ? json(SCENARIO.write(begun.value), 201) : begun;
  };
}
