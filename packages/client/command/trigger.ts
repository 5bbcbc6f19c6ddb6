import { parseArgs } from "node:util";
import {
  isSimulationName,
  parseJson,
  problemFromJson,
  type SimulatedRoute,
  SIMULATION_NAMES,
  type SimulationName,
  SIMULATIONS,
} from "@sabika/protocol";
import { grams, riyals } from "../amounts.ts";
import type { Exchange } from "../call.ts";
import { createClient } from "../client.ts";
import type { Client, WriteOptions } from "../client_interface.ts";
import { SabikaError } from "../sabika_error.ts";
import { KIT_OPTION, openKitOf } from "./files.ts";
import { type Command, CommandError, type Io, row, UsageError } from "./io.ts";

/** Prepares a call; the returned function makes it with the options. */
type Trial = (client: Client, options: WriteOptions) => Promise<() => Promise<unknown>>;

const gold = { side: "buy", goldMicrograms: grams("0.1") } as const;
const money = { amountHalalas: riyals("200") };

/** How each route is called; the routes that move the least money come first. */
const TRIALS: Readonly<Record<SimulatedRoute, Trial>> = {
  "GET /v1/prices": async (client, options) => () => client.prices(options),
  "POST /v1/signed-probe": async (client, options) => () => client.probe("{}", options),
  "POST /v1/quotes": async (client, options) => () => client.quote(gold, options),
  "POST /sandbox/fund": async (client, options) => () => client.fund(money, options),
  "POST /v1/orders": async (client, options) => {
    await client.fund(money);
    const { id: quoteId } = await client.quote(gold);
    return () => client.order({ quoteId }, options);
  },
  "GET /v1/orders/{id}/receipt": async (client, options) => {
    await client.fund(money);
    const { id: quoteId } = await client.quote(gold);
    const { id } = await client.order({ quoteId });
    return () => client.getReceipt(id, options);
  },
  "POST /v1/withdrawals": async (client, options) => {
    await client.fund(money);
    return () => client.withdraw(money, options);
  },
  "POST /v1/withdrawals/{id}/cancel": async (client, options) => {
    await client.fund(money);
    const { id } = await client.withdraw(money);
    return () => client.cancelWithdrawal(id, options);
  },
  "POST /v1/credentials/certificate": async (client, options) => () =>
    client.requestCertificate({ csr: "none" }, options),
  "POST /v1/credentials/signing-key": async (client, options) => () =>
    client.requestSigningKey({ csr: "none" }, options),
};

/** `sabika-client trigger` */
export const trigger: Command = {
  summary: "have the sandbox simulate a failure",
  help: `Has the sandbox simulate a failure, and shows the answers and what the SDK does about them.

  sabika-client trigger NAME [--on ROUTE] [--kit FOLDER]
  sabika-client trigger --list

  NAME          the failure; --list shows all of them
  --on ROUTE    the call that fails, such as "POST /v1/orders"; by default a possible one that
                moves as little money as possible
  --kit FOLDER  the partner kit, of the sandbox; by default of SABIKA_KIT…, else this folder

The header Sabika-Simulate is sent only with the first attempt.`,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...KIT_OPTION, on: { type: "string" }, list: { type: "boolean", default: false } },
    });
    if (values.list) {
      for (const name of SIMULATION_NAMES) io.print(`${name}: ${SIMULATIONS[name].comes}`);
      return 0;
    }
    const [name = ""] = positionals;
    if (!isSimulationName(name)) {
      throw new UsageError(name === "" ? "a NAME is needed" : `there is no failure ${name}`);
    }
    const route = routeOf(name, values.on);
    const kit = await openKitOf(values.kit, io);
    if (kit.environment !== "sandbox") {
      throw new CommandError(
        "this kit is for production, which simulates nothing: take the sandbox's",
      );
    }
    let isTrial = false;
    const observe = (exchange: Exchange) => isTrial ? show(io, exchange) : undefined;
    const client = createClient(kit, { observe, retry: { attempts: 3 } });
    const signal = io.interrupted;
    try {
      const call = await TRIALS[route](client, { signal, simulate: name });
      isTrial = true;
      await call();
      io.print(row("the SDK", "has its answer"));
    } catch (error) {
      if (!isTrial || !(error instanceof SabikaError)) throw error;
      io.print(row("the SDK", `throws ${error.message}`));
    } finally {
      await client.close();
    }
    return 0;
  },
};

/** Chooses the route on which a failure is simulated; throws UsageError if it cannot be. */
function routeOf(name: SimulationName, wanted: string | undefined): SimulatedRoute {
  const { on } = SIMULATIONS[name];
  const all = Object.keys(TRIALS) as SimulatedRoute[];
  const routes = on === "every request"
    ? all
    : all.filter((candidate) => on.some((on) => on === candidate));
  const route = wanted === undefined ? routes[0] : routes.find((candidate) => candidate === wanted);
  if (route !== undefined) return route;
  throw new UsageError(`${name} can be met on ${routes.join(", ")}`);
}

function show(io: Io, { attempt, method, url, status, answer, milliseconds }: Exchange): void {
  const path = new URL(url).pathname;
  const outcome = status === 0 ? "no answer" : `${status} ${codeOf(answer)}`.trim();
  io.print(
    row(`attempt ${attempt}`, `${method} ${path} → ${outcome} (${Math.round(milliseconds)} ms)`),
  );
}

function codeOf(answer: string | undefined): string {
  try {
    return problemFromJson(parseJson(answer ?? ""))?.code ?? "";
  } catch {
    return "";
  }
}
