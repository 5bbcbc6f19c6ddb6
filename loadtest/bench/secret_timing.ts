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
import { compareTimes, REAL_T } from "./compare_times.ts";
import { startProgress } from "./progress.ts";
import { columns } from "./table.ts";
import { createWorld } from "./world/world.ts";

const guesses = Number(process.argv[2] ?? 20_000);
const WARM_UP = 2_000;

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
  ];
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
  const compared = await compareTimes(
    kinds.map(({ name, bytes }) => ({ name, ask: () => ask(bytes) })),
    {
      ...{ rounds: guesses, warmUp: WARM_UP },
      onRound(round) {
        if (round % 5_000 === 0) progress.say(`${round} of ${guesses} guesses of each kind`);
      },
    },
  );
  connection.close();
  console.log(columns([
    ["guess", "mean, µs", "t"],
    ...compared.map(({ name, meanMs, t }) => [name, (meanMs * 1_000).toFixed(1), t.toFixed(1)]),
  ]));
  process.exitCode = compared.some(({ t }) => Math.abs(t) > REAL_T) ? 1 : 0;
} finally {
  await world.close();
}
