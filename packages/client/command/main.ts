#!/usr/bin/env node
/** `sabika-client`: the partner's command. */
import process from "node:process";
import type { Io } from "./io.ts";
import { readSecret } from "./read_secret.ts";
import { run } from "./run.ts";

const stopping = new AbortController();
const { stdin, stdout, stderr } = process;
const io: Io = {
  print: (line) => stdout.write(`${line}\n`),
  printError: (line) => stderr.write(`${line}\n`),
  colours: stdout.isTTY && stderr.isTTY && !process.env.NO_COLOR,
  async readInput() {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  },
  askSecret: (question) => readSecret(stdin, stderr, question, stopping),
  env: process.env,
  now: Date.now,
  interrupted: stopping.signal,
};
// The second signal ends the process at once.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());
// A reader of the output, such as head, may close it early.
stdout.on("error", () => process.exit(0));
process.exitCode = await run(process.argv.slice(2), io);
