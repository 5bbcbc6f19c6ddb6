import type { SimulationName } from "@sabika/protocol";
import { type Case, demand, succeed } from "./stage.ts";

const survives = (title: string, holds: string, simulate: SimulationName): Case => ({
  title,
  holds,
  run: async (stage) => void await succeed(stage, { do: "price", simulate }),
});

/** Connecting and calling. */
export const CALLING: readonly Case[] = [
  {
    title: "The kit's certificate and token are used",
    holds: "the service knows the partner, which is active",
    async run({ examiner }) {
      const { status } = await examiner.me();
      demand(status === "active", `the partner is ${status}`);
    },
  },
  {
    title: "A request is signed",
    holds: "the signed probe is verified",
    run: async (stage) => void await succeed(stage, { do: "probe" }),
  },
  survives("A token has ended", "a new one is fetched, the call succeeds", "token_expired"),
  survives("A token is refused", "a new one is fetched, the call succeeds", "token_invalid"),
  survives("The rate is exceeded", "the call waits as told and succeeds", "rate_limited"),
  survives(
    "The service is away for a moment",
    "the call is repeated and succeeds",
    "service_unavailable",
  ),
  survives("An answer takes three seconds", "it is waited for", "slow_answer"),
];
