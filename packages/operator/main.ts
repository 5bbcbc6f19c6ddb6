/** The operator's command. Only this file names the clock, randomness, environment and terminal. */
import { lookup } from "node:dns/promises";
import { hostname, userInfo } from "node:os";
import process from "node:process";
import { runSabika } from "./run_sabika.ts";

const { env } = process;
const [sshAddress] = (env["SSH_CONNECTION"] ?? "").split(" ");

process.exitCode = await runSabika(process.argv.slice(2), {
  env,
  stdout: process.stdout,
  stderr: process.stderr,
  isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  now: Date.now,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  // Loaded on first use: few commands make requests of their own.
  fetch: async (...request) => (await import("@sabika/network")).plainFetch(...request),
  resolve,
  user: { who: userName(), from: sshAddress ? `${hostname()} (${sshAddress})` : hostname() },
});

/** All addresses of a host; throws after 5 s, since an unreachable resolver may take minutes. */
async function resolve(name: string): Promise<{ address: string; family: 4 | 6 }[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer for ${name}`)), 5_000);
  });
  try {
    const found = await Promise.race([lookup(name, { all: true }), overdue]);
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } finally {
    clearTimeout(timer);
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "?"}`; // containers have users without a name
  }
}
