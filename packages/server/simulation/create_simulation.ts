import {
  type ErrorCode,
  HEADER,
  isSimulationName,
  refuse,
  type Simulation as Described,
  type SimulationName,
  SIMULATIONS,
} from "@sabika/protocol";
import type { Trading } from "@sabika/service/trading";
import type { CallSoFar } from "../call/findings.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Answer } from "../call/reply.ts";
import type { Route } from "../routes/route.ts";
import type { BeginScenario } from "../routes/scenario.ts";
import { simulatedRefusal } from "./simulated_refusals.ts";
import { createScenarios, type ScenarioParts } from "./scenarios.ts";
import { EVENT_EFFECTS, withBank, withEvent } from "./simulated_events.ts";
import { isByTrading, simulatedTrading, type SimulatedTradingParts } from "./simulated_trading.ts";

/** The parts from which failures on demand are made. */
export interface SimulationParts extends SimulatedTradingParts, ScenarioParts {
  readonly trading: Trading;
}

/** Failures on demand (Decision D55), only in the sandbox. */
export interface Simulation {
  /** Wraps a route so that it does what the header asks for. */
  around<C extends ReceivedCall>(route: Route<C>): Route<C>;
  /** Makes a route whose trading does what the header asks for. */
  trading<C extends ReceivedCall>(make: (trading: Trading) => Route<C>): Route<C>;
  readonly beginScenario: BeginScenario;
}

type Run = () => Answer | Promise<Answer>;
type Effect = (parts: SimulationParts, call: CallSoFar, run: Run) => Promise<Answer>;

const SLOW_MS = 3_000;

/** Effects on requests that are carried out. */
const EFFECTS: Partial<Record<SimulationName, Effect>> = {
  async nonce_reused({ trading }, { partner, signed }, run) {
    const { nonce: value, timestampSeconds } = signed!;
    await trading.spendNonce({ partnerId: partner!.partnerId, value, timestampSeconds });
    return await run();
  },
  async outcome_unknown(_parts, _call, run) {
    await run();
    return refuse("outcome_unknown", { retryAfterSeconds: 1 });
  },
  async slow_answer({ wait }, _call, run) {
    const answer = await run();
    await wait(SLOW_MS);
    return answer;
  },
  async lost_answer(_parts, call, run) {
    const answer = await run();
    call.outgoing.destroy();
    if (!answer.ok || typeof answer.body === "string") return answer;
    // The body is never read, so its resources are released.
    await answer.body.cancel();
    return { ...answer, body: "" };
  },
  webhook_twice: (...call) => withEvent(EVENT_EFFECTS.webhook_twice, ...call),
  webhook_late: (...call) => withEvent(EVENT_EFFECTS.webhook_late, ...call),
  webhook_out_of_order: (...call) => withEvent(EVENT_EFFECTS.webhook_out_of_order, ...call),
  webhook_old_secret: (...call) => withEvent(EVENT_EFFECTS.webhook_old_secret, ...call),
  withdrawal_failed: (...call) => withBank("failed", ...call),
  withdrawal_completed_late: (...call) => withBank("completed", ...call),
  withdrawal_cancelled: (...call) => withBank("cancelled", ...call),
};

/** Creates the simulations of the header `Sabika-Simulate`. */
export function createSimulation(parts: SimulationParts): Simulation {
  return {
    around: (route) => (call, id) => {
      const name = call.header(HEADER.simulate);
      if (name === undefined || !isKnownCaller(call)) return route(call, id);
      const run = () => route(call, id);
      if (!isSimulationName(name)) {
        return refuse("simulation_invalid", "Sabika-Simulate names nothing that can be simulated.");
      }
      const { on }: Described = SIMULATIONS[name];
      const place = `${call.method} ${call.route.replace(":id", "{id}")}`;
      if (on !== "every request" && !on.some((route) => route === place)) {
        return refuse("simulation_invalid", `${name} applies to ${on.join(", ")} alone.`);
      }
      if (isByTrading(name)) return run();
      const effect = EFFECTS[name];
      if (effect !== undefined) return effect(parts, call, run);
      return simulatedRefusal(name as ErrorCode, parts.now());
    },
    trading: (make) => {
      const real = make(parts.trading);
      return (call, id) => {
        const name = call.header(HEADER.simulate);
        const isSimulated = name !== undefined && isSimulationName(name) && isKnownCaller(call);
        return isSimulated ? make(simulatedTrading(parts, name))(call, id) : real(call, id);
      };
    },
    beginScenario: createScenarios(parts),
  };
}

/** Whether the call has a token, or is on the route that needs only a certificate (Decision D18). */
export function isKnownCaller(call: CallSoFar): boolean {
  return call.token !== undefined || call.path === "/sandbox/fund";
}
