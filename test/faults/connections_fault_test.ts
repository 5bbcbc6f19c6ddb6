/** F70: no host and no partner can lock out another partner by opening connections. */
import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openKit } from "@sabika/client";
import { addAddress } from "@sabika/office/partners";
import { readStats } from "@sabika/sidecar";
import { findProgram } from "../../tools/programs/find_program.ts";
import { runProgram } from "../../tools/programs/run_program.ts";
import { type FloodKind, startFlood } from "../support/edge/flood.ts";
import { openRaw } from "../support/raw_https.ts";
import { sized } from "../support/sized.ts";
import { clientWithoutRepeats } from "../support/stack/order_load.ts";
import { until } from "../support/until.ts";
import { openTestStack, rawCallerOf, type TestStack } from "../support/stack/stack_for_tests.ts";

const STRANGER = "127.0.0.66";
const PARTNERS = ["127.0.0.1", "127.0.0.77"] as const;
/** How long the honest partner calls during each flood. */
const SECONDS = sized(5, 60);
/** Why the firewall cannot be tested here, for example in a container; undefined if it can. */
const noFirewall = await findProgram("nft").then(
  async ({ command, env }) => {
    const { exitCode, stderr } = await runProgram(command, ["list", "tables"], {
      env: { ...process.env, ...env },
    });
    return exitCode === 0 ? undefined : `this machine's firewall takes no rules: ${stderr.trim()}`;
  },
  (error: Error) => error.message,
);

describe("the stack under floods of connections (F70)", () => underFloods(false));
describe(
  "the stack with its firewall under floods of connections (F70)",
  { skip: noFirewall ?? false },
  () => underFloods(true),
);

function underFloods(firewall: boolean): void {
  let test: TestStack;
  before(async () => {
    test = await openTestStack({ firewall });
    for (const [n, address] of PARTNERS.entries()) {
      assert((await addAddress(test.admin, `partner-${n + 1}`, address)).ok);
    }
    await until(async () => await active("strangers") !== undefined);
  });
  after(() => test.close());

  /** Reads how many connections a filter chain has open, as Envoy counts them. */
  const active = async (chain: string) => {
    const name = `^connection_limit.${chain}.active_connections$`;
    return (await readStats(test.stack.sidecar().adminSocket, name)).values().next().value;
  };
  /** Reads how many SYN packets the firewall has dropped. */
  const dropped = async () => {
    const rules = await test.stack.firewall?.show() ?? "";
    return [...rules.matchAll(/counter packets (\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  };

  /** Calls as the honest partner, on two persistent connections and on new ones; returns the failures. */
  async function serve(seconds: number): Promise<string[]> {
    const kit = await openKit(test.stack.kits[0]!);
    const client = clientWithoutRepeats(kit);
    const failures: string[] = [];
    const end = performance.now() + seconds * 1_000;
    const caller = async (pauseMs: number, call: () => Promise<unknown>) => {
      for (; performance.now() < end; await pause(pauseMs)) {
        await call().catch((error: Error) => failures.push(error.message));
      }
    };
    const onNewConnection = async () => {
      const connection = await openRaw(await rawCallerOf(test.stack, 0));
      const headers = [["Host", "localhost"]] as const;
      const answer = await connection.send({ method: "GET", target: "/health", headers });
      connection.close();
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    };
    await Promise.all([
      caller(25, () => client.balances()),
      caller(25, () => client.balances()),
      caller(100, onNewConnection),
    ]);
    await client.close();
    return failures;
  }

  const floods: [name: string, kind: FloodKind, localAddress: string, connections: number][] = [
    ["4,300 cycling sockets of a stranger", "silent", STRANGER, 4_300],
    ["4,000 idle TLS connections of another partner", "idle", PARTNERS[1], 4_000],
    ["4,300 handshakes of a stranger that do not end", "hello", STRANGER, 4_300],
    ["4,000 handshakes of another partner that do not end", "hello", PARTNERS[1], 4_000],
  ];
  for (const [name, kind, localAddress, connections] of floods) {
    it(`serves an honest partner beside ${name} without a failed call`, async () => {
      const other = await openKit(test.stack.kits[1]!);
      const flood = startFlood({
        kind,
        port: Number(new URL(test.stack.baseUrl).port),
        connections,
        // The attacker cannot complete more handshakes at once.
        atOnce: kind === "idle" ? 100 : connections,
        localAddress,
        ca: other.caPem,
        certificate: other.certificatePem,
        key: other.privateKeyPem,
      });
      const before = await dropped();
      try {
        const chain = localAddress === STRANGER ? "strangers" : "partner:partner-2";
        // Until the flood has its full share; behind the firewall only `idle` reaches it.
        const isHeld = async () =>
          firewall && kind !== "idle"
            ? await dropped() > before
            : (await active(chain) ?? 0) >= 200;
        await until(isHeld, 60_000);
        assertEquals(await serve(SECONDS), []);
      } finally {
        await flood.stop();
      }
    });
  }
}
