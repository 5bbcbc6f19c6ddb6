import { createClient, grams, openKit } from "@sabika/client";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { testRecord } from "../../test/secret_search/record.ts";
import { runCommand, type RunningCommand } from "../../test/support/sandbox/run_command.ts";
import { each } from "../../test/support/each.ts";
import { listen } from "../../test/support/listen.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { StartError, startSandbox } from "./mod.ts";
import { readOptions } from "./options.ts";

const folder = temporaryFolder();
after(async () => {
  testRecord.dataFolder(folder);
});

/** Runs the command, which must exit with 1, and returns the one line that it prints. */
async function refusedCommand(...args: string[]): Promise<string> {
  const command = runCommand(args);
  assertEquals(await command.end(), 1, command.output());
  const lines = command.output().trimEnd().split("\n");
  assertEquals(lines.length, 1, command.output());
  return lines[0]!;
}

/** Starts the sandbox in this process, which must be refused, and returns the message: one line. */
async function refusedStart(dataFolder: string, port = 0): Promise<string> {
  const start = () => startSandbox({ dataFolder, port }, surroundings);
  const { message } = await assertRejects(start, StartError);
  assertEquals(message.includes("\n"), false);
  return message;
}

/** Reads all files of a kit, by name. */
function readKit(kitFolder: string): Record<string, string> {
  const names = readdirSync(kitFolder);
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(kitFolder, name), "utf8")]),
  );
}

test("the command runs the core flow once, keeps everything across a restart, and stops cleanly", async () => {
  const data = join(folder, "kept");
  const kitFolder = join(data, "partners", "demo");
  const commands: RunningCommand[] = [];
  const start = async () => {
    const command = runCommand(["--port", "0", "--data", data]);
    commands.push(command);
    return { command, baseUrl: await command.ready };
  };
  try {
    const first = await start();
    const output = first.command.output();
    const steps =
      "/oauth/token /sandbox/fund /v1/quotes /v1/orders x-jws-signature: order.executed";
    for (const words of [...each(steps), '"status":"executed"', "the signature verifies"]) {
      assertStringIncludes(output, words);
    }
    assert(!output.includes("the walk ends here"), output);
    assertStringIncludes(output, "holds: signature, value, parts, share, order, bars");
    assertEquals(statSync(kitFolder).mode & 0o777, 0o700);
    assertEquals(statSync(join(kitFolder, "client.key")).mode & 0o777, 0o600);
    const kitFiles = readKit(kitFolder);
    const { client_secret, webhook_secret } = JSON.parse(kitFiles["partner.json"]!);
    for (const secret of [client_secret, webhook_secret]) assert(!output.includes(secret));

    assertMatch(
      await refusedCommand("--port", "0", "--data", data),
      /another sandbox .* uses .*--data/,
    );

    const client = createClient(await openKit(kitFolder));
    const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
    const order = await client.order({ quoteId: quote.id }, { idempotencyKey: "kept-order" });
    const balances = await client.balances();
    await client.close();
    assertEquals(await first.command.end("SIGINT"), 0, first.command.output());
    assert(!readdirSync(data).includes("lock"));

    const second = await start();
    assert(!second.command.output().includes("/sandbox/fund"), "the walk is not repeated");
    const { "partner.json": partnerAfter, ...filesAfter } = readKit(kitFolder);
    const { "partner.json": partnerBefore, ...filesBefore } = kitFiles;
    assertEquals(filesAfter, filesBefore);
    // Another port was free this time: only the address has changed.
    assertEquals(JSON.parse(partnerAfter!), {
      ...JSON.parse(partnerBefore!),
      base_url: second.baseUrl,
    });
    const secondClient = createClient(await openKit(kitFolder));
    assertEquals(await secondClient.balances(), balances);
    const sameKey = { idempotencyKey: "kept-order" };
    assertEquals(await secondClient.order({ quoteId: quote.id }, sameKey), order);
    assertEquals(await secondClient.balances(), balances);
    await secondClient.close();
    assertEquals(await second.command.end("SIGTERM"), 0, second.command.output());
  } finally {
    for (const command of commands) await command.end("SIGINT");
  }
});

test("a taken port is refused with one line that says what to do", async (t) => {
  const server = createServer();
  const port = await listen(server);
  t.after(() => server.close());
  assertMatch(
    await refusedStart(join(folder, "taken"), port),
    /^port \d+ is taken: .*--port \d+$/,
  );
});

test("a data folder that cannot be written is refused with one line", async () => {
  const file = join(folder, "a-file");
  await writeFile(file, "");
  for (const data of [file, join(file, "below")]) {
    assertMatch(await refusedStart(data), /cannot be written .*--data FOLDER/);
  }
});

test("data of a newer version, and a folder of something else, are refused and left alone", async () => {
  const newer = join(folder, "newer");
  await mkdir(newer);
  await writeFile(join(newer, "version"), "999\n");
  assertMatch(await refusedStart(newer), /newer version \(999.*update/);
  assertEquals(readdirSync(newer), ["version"]);

  const foreign = join(folder, "foreign");
  await mkdir(foreign);
  await writeFile(join(foreign, "thesis.txt"), "");
  assertMatch(await refusedStart(foreign), /not empty .*--data/);
  assertEquals(readdirSync(foreign), ["thesis.txt"]);
});

test("a wrong option is refused with one line", async () => {
  assertMatch(await refusedCommand("--prot", "1"), /--prot.*--help/);
  assertThrows(() => readOptions(["--port", "99999"]), TypeError, "--port 99999 is not a port");
  const authority = ["--webhook-ca", join(folder, "none")];
  assertMatch(
    await refusedCommand("--port", "0", "--data", join(folder, "x"), ...authority),
    /--webhook-ca .* is not a readable PEM/,
  );
});
