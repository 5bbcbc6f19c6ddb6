import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { after, before, describe, it, type TestContext } from "node:test";
import { readStats } from "./ask_admin.ts";
import { handAddresses } from "./hand_addresses.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { type Edge, startEdge } from "../../test/support/edge/edge.ts";
import { startFlood } from "../../test/support/edge/flood.ts";
import { type Load, startLoad } from "../../test/support/edge/load.ts";
import { sized } from "../../test/support/sized.ts";
import { until } from "../../test/support/until.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";

/** Longer than this no answer may take on a connection that was there before the flood. */
const IN_TIME_MS = 2_000;
/** The registered addresses of the honest partner, and of one that is not. */
const HONEST = "127.0.0.1/32";
const OTHER = "127.0.0.77";

// F70 with the limits of production: 50,000 connections in all, none of which its attacker closes.
describe("50,000 idle connections at a real Envoy, in five waves (F70)", () => {
  let edge: Edge;
  let honest: Load;
  before(async () => {
    edge = await startEdge();
    const partners = [HONEST, `${OTHER}/32`].map((cidr, n) => ({
      partner: `bank-${n + 1}`,
      addresses: [cidr],
    }));
    assertEquals((await handAddresses(edge.settings, partners, "flood")).ok, true);
    // Paced, so that its connections do not come to the end of their requests meanwhile.
    honest = startLoad(edge, { callers: 4, pauseMs: 30 });
    await until(() => honest.seen.answered > 10);
  });
  after(() => edge.close());

  /** The honest partner's kept connections have answered everything, in time, and still do. */
  async function honestIsServed(t: TestContext) {
    const { answered } = honest.seen;
    await until(() => honest.seen.answered > answered + 20);
    assertEquals(honest.seen.failures, []);
    const { slowestMs } = honest.seen;
    t.diagnostic(`${honest.seen.answered} answers, the slowest after ${Math.round(slowestMs)} ms`);
    assert(slowestMs < IN_TIME_MS, `${slowestMs} ms`);
    const memory = await readFile(`/proc/${edge.envoy.pid}/status`, "utf8");
    const megabytes = Number(/VmRSS:\s+(\d+)/.exec(memory)?.[1]) / 1024;
    t.diagnostic(`Envoy holds ${Math.round(megabytes)} MB`);
    assert(megabytes < DEFAULT_LIMITS.heapMegabytes, `${megabytes} MB`);
  }

  /** Comes anew again and again until `isOver`; the longest time until it was let in, in seconds. */
  async function comeAnew(isOver: () => boolean): Promise<number> {
    let longest = 0;
    while (!isOver()) {
      const started = performance.now();
      while (!await getsIn(edge)) await pause(100);
      longest = Math.max(longest, (performance.now() - started) / 1_000);
      await pause(200);
    }
    return longest;
  }

  const strangers = [
    ["20,000 that say nothing", "silent", 20_000],
    ["20,000 that stop in their handshake", "hello", 20_000],
    ["4,800 without a certificate", "stranger", 4_800],
  ] as const;
  for (const [name, kind, connections] of strangers) {
    it(`sheds ${name}; the honest partner who comes anew does not wait for them`, async (t) => {
      const flood = startFlood(edge, kind, connections);
      let isOver = false;
      const wait = comeAnew(() => isOver);
      const report = await flood.tried;
      const tried = performance.now();
      assertEquals([report.attempts, report.answers], [connections, {}]);
      const { open } = await flood.gone;
      assertEquals(open, 0);
      const seconds = (performance.now() - tried) / 1_000;
      isOver = true;
      const longest = await wait;
      t.diagnostic(
        `the last was gone ${seconds.toFixed(1)} s after the last came; ` +
          `an honest new connection was let in after ${longest.toFixed(1)} s at the latest`,
      );
      assert(seconds < DEFAULT_LIMITS.strangerHandshakeSeconds + 2, `${seconds} s`);
      assert(longest * 1_000 < IN_TIME_MS, `${longest} s`);
      await honestIsServed(t);
    });
  }

  it("answers 408 to slow headers, and sheds connections beyond a share or past their idle time", async (t) => {
    const slow = startFlood(edge, "slow headers", 200, { localAddress: OTHER });
    assertEquals((await slow.tried).attempts, 200);
    assertEquals((await slow.gone).answers, { "408": 200 });
    const idle = startFlood(edge, "idle", 5_000, { localAddress: OTHER });
    const { attempts, open } = await idle.tried;
    const tried = performance.now();
    assertEquals(attempts, 5_000);
    assertEquals(open, DEFAULT_LIMITS.partnerConnections);
    assert(await getsIn(edge));
    await honestIsServed(t);
    // The idle time itself, two minutes, is waited for in the file's whole size alone.
    if (sized(0, 1) === 0) return;
    await idle.gone;
    const seconds = (performance.now() - tried) / 1_000;
    t.diagnostic(`the last idle one was gone after ${seconds.toFixed(1)} s`);
    assert(seconds < DEFAULT_LIMITS.idleSeconds + 5, `${seconds} s`);
    assert(await getsIn(edge));
    await honestIsServed(t);
  });

  it("has shed most of the 50,000 before their handshake, and failed no honest request", async (t) => {
    const stats = await readStats(edge.envoy.adminSocket, "limited|cx_overflow|connect_timeout");
    const shed = sum(stats, "limited_connections") + sum(stats, "rate_limited");
    assertEquals(sum(stats, "downstream_global_cx_overflow"), 0, "the share of all is never spent");
    const slow = sum(stats, "downstream_cx_transport_socket_connect_timeout");
    t.diagnostic(`${shed} were closed as they came, ${slow} after the handshake's time`);
    assert(shed > 45_000, `${shed}`);
    assertEquals((await honest.stop()).failures, []);
  });
});

/** Whether a partner's new connection is let in and its request answered. */
async function getsIn(edge: Edge): Promise<boolean> {
  const call = rawCall(edge, requestText("GET", "/health", ["Connection: close"]))
    .then(({ status }) => status === 200, () => false);
  return await Promise.race([call, pause(3_000).then(() => false)]);
}

function sum(stats: ReadonlyMap<string, number>, name: string): number {
  let total = 0;
  for (const [key, value] of stats) if (key.endsWith(name)) total += value;
  return total;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
