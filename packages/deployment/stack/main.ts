import { relative } from "node:path";
import process from "node:process";
import { isWrongUse, untilInterrupted } from "../folders/interrupted.ts";
import { StartError } from "../start_error.ts";
import { HELP, readStackOptions } from "./options.ts";
import { startStack } from "./start_stack.ts";

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run stack` (Decision D46): clock and random bytes come from this file alone. */
async function main(): Promise<void> {
  const options = readStackOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const interrupted = untilInterrupted();
  const started = performance.now();
  tell(`The Sabika stack, data in ${options.dataFolder}`);
  const stack = await startStack({
    ...options,
    ha: options.ha ? {} : undefined,
    office: { port: options.officePort },
    watch: options.watch ? { port: options.port === 0 ? 0 : 9090 } : undefined,
    progress: (line) => tell(`  ${((performance.now() - started) / 1000).toFixed(1)} s  ${line}`),
  }, {
    now: Date.now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
  for (const kit of stack.kits) tell(`kit ${relative(process.cwd(), kit) || kit}`);
  for (const [cellId, { pid }] of stack.cells) tell(`${cellId}: PostgreSQL, process ${pid}`);
  for (const { name, postgresql, rest } of stack.cluster?.members ?? []) {
    tell(
      `${name}: PostgreSQL at 127.0.0.1:${postgresql}, Patroni at http://127.0.0.1:${rest}/cluster`,
    );
  }
  tell(`metrics ${stack.targetsUrl}`);
  tell(`statistics ${stack.watchUrl}/stats/prometheus`);
  if (stack.prometheusUrl !== undefined) tell(`watched by Prometheus at ${stack.prometheusUrl}`);
  if (stack.office !== undefined) {
    tell(`the operator's console: ${stack.office.url}`);
    const { enrolUrl } = stack.office;
    if (enrolUrl !== undefined) tell(`a link to register your passkey, valid once: ${enrolUrl}`);
  }
  tell(`ready ${stack.baseUrl}`);
  await interrupted;
  tell("stopping");
  await stack.stop();
  process.exit(0);
}

main().catch((error: unknown) => {
  const { message = String(error) } = error as { message?: string };
  const wrongUse = isWrongUse(error);
  process.stderr.write(`sabika: ${message.split("\n")[0]}\n`);
  if (wrongUse) process.stderr.write("see `npm run stack -- --help`\n");
  else if (!(error instanceof StartError)) console.error(error);
  process.exit(wrongUse ? 2 : 1);
});
