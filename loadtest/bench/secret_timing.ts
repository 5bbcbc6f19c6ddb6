/**
 * Whether the time of an answer reveals how much of a guessed client secret is right, or whether the client
 * exists (faults F56). Each kind of guess is repeated in turn with the others, over one
 * connection; Welch's t compares their times, without the slowest tenth, which is the machine's. Above 4.5
 * a difference is taken to be real; then it exits with 1.
 *
 *   node --import tsx loadtest/bench/secret_timing.ts [guesses of each kind, 20000]
 */
import process from "node:process";
import { connect } from "./loader/connection.ts";
import { postBytes } from "./loader/post_bytes.ts";
import { startProgress } from "./progress.ts";
import { mean, percentile, welchT } from "./statistics.ts";
import { columns } from "./table.ts";
import { createWorld } from "./world/world.ts";

const guesses = Number(process.argv[2] ?? 20_000);
const WARM_UP = 2_000;
const REAL = 4.5;

const progress = startProgress(() => performance.now());
const world = await createWorld(progress);
try {
  const { site } = world;
  const server = await site.startServer();
  const [bank] = site.partners;
  const [lane] = await site.lanes([bank!], 1);
  const { clientSecret } = bank!.kit;
  const flipped = [...clientSecret].map((letter) => letter === "A" ? "B" : "A").join("");
  const startingRight = (share: number) => {
    const length = Math.floor(clientSecret.length * share);
    return clientSecret.slice(0, length) + flipped.slice(length);
  };
  const request = (clientId: string, secret: string) => {
    const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${secret}`;
    return postBytes("/oauth/token", {
      host: new URL(site.baseUrl).host,
      "content-type": "application/x-www-form-urlencoded",
      ...lane!.headers,
    }, new TextEncoder().encode(body));
  };
  const kinds = [
    { name: "nothing right", bytes: request("bank-1", flipped) },
    { name: "the first half right", bytes: request("bank-1", startingRight(0.5)) },
    { name: "all but the last right", bytes: request("bank-1", clientSecret.slice(0, -1) + "~") },
    { name: "an unknown client", bytes: request("bank-x", flipped) },
  ].map((kind) => ({ ...kind, times: [] as number[] }));
  const connection = await connect(server.target, (error) => {
    throw error;
  });
  const ask = (bytes: Uint8Array) =>
    new Promise<number>((resolve, reject) => {
      const startedMs = performance.now();
      connection.send(bytes, (status, body) => {
        if (status === 401) resolve(performance.now() - startedMs);
        else reject(new Error(`answered ${status}: ${body.toString()}`));
      });
    });
  for (let round = -WARM_UP; round < guesses; round++) {
    // In an order of its own each time, so that none always comes after the same other.
    for (const kind of shuffled(kinds)) {
      const ms = await ask(kind.bytes);
      if (round >= 0) kind.times.push(ms);
    }
    if (round % 5_000 === 0) {
      progress.say(`${Math.max(0, round)} of ${guesses} guesses of each kind`);
    }
  }
  connection.close();
  const slow = percentile(kinds.flatMap(({ times }) => times), 0.9);
  const quick = kinds.map(({ name, times }) => ({ name, times: times.filter((ms) => ms < slow) }));
  const [first, ...others] = quick;
  const rows = others.map(({ name, times }) => ({ name, times, t: welchT(times, first!.times) }));
  console.log(columns([
    ["guess", "mean, µs", "t"],
    [first!.name, (mean(first!.times) * 1000).toFixed(1), ""],
    ...rows.map(({ name, times, t }) => [name, (mean(times) * 1000).toFixed(1), t.toFixed(1)]),
  ]));
  process.exitCode = rows.some(({ t }) => Math.abs(t) > REAL) ? 1 : 0;
} finally {
  await world.close();
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  const all = [...values];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}
