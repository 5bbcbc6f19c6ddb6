import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../tools/programs/find_program.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { runEnvoy } from "./run_envoy.ts";
import { runSidecar } from "./run_sidecar.ts";
import { readSettings } from "./settings.ts";
import { createAuthority } from "../../test/support/edge/authority.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { commandLine } from "../../tools/programs/command_line.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const envoy = (await findProgram("envoy")).command;

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function runHere(...args: string[]): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await runSidecar(args, {
    nowMs: Date.now(),
    stdout: { write: (text) => out += text },
    stderr: { write: (text) => err += text },
    interrupted: () => Promise.resolve(),
  });
  testRecord.log("sidecar", out + err);
  return { code, out, err };
}

/** Runs the command as a separate process. */
function runProcess(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...RUNTIME_ARGUMENTS, MAIN, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

// `npm run sidecar`, with a real Envoy.

const folder = temporaryFolder();
after(() => testRecord.dataFolder(folder));
const file = (name: string) => join(folder, name);
const settings = file("sidecar.yaml");
await writeFile(
  settings,
  `folder: ${folder}/sidecar\nserverNames: [api.bank.example]\n` +
    `instances: [{address: "unix:${folder}/a.sock"}]\ntraces: "127.0.0.1:4318"\n`,
);
const authority = await createAuthority("Test CA");
const server = await authority.issueServer();
await writeFile(file("server.crt"), server.certificate);
await writeFile(file("server.key"), server.key, { mode: 0o600 });
await writeFile(file("ca.crt"), authority.pem);
await writeFile(file("ca.crl"), await authority.crl());
await writeFile(file("edge"), "f".repeat(40) + "\n" + "g".repeat(40) + "\n", { mode: 0o600 });
const SET = commandLine`--server-certificate ${file("server.crt")}
  --server-key ${file("server.key")} --partner-ca ${file("ca.crt")}
  --partner-crl ${file("ca.crl")} --edge-secret ${file("edge")}`;

/** Runs a command with the settings. */
const run = (command: string, ...args: string[]) =>
  runHere(command, "--settings", settings, ...args);

test("the command exits 2 on wrong usage with one line that names the mistake", async () => {
  const { code, err } = await runProcess("dance");
  assertEquals(code, 2);
  assertMatch(err, /^sidecar: there is no command dance\nsee /);
});

test("the command exits 1 when a file is missing or a set is bad, and stores nothing", async () => {
  assertEquals((await runHere("render", "--settings", file("nothing"))).code, 1);
  await writeFile(file("empty.crl"), "");
  const bad = await run("rotate", ...SET, "--partner-crl", file("empty.crl"));
  assertEquals(bad.code, 1);
  assertStringIncludes(bad.err, "refused: partner CRL: empty");
  const nothing = await readFile(`${folder}/sidecar/sds/partner_ca.yaml`, "utf8").catch(() => "");
  assertEquals(nothing, "");
});

test("the command stores a first set and renders what Envoy accepts, then changes single parts", async () => {
  assertEquals((await run("check", ...SET)).out, "the set is good\n");
  const early = await run("run", "--envoy", envoy);
  assertEquals([early.code, early.err.slice(0, 34)], [1, "refused: there is no set of secret"]);
  const first = await run("rotate", ...SET);
  assertEquals(first.code, 0, first.err);
  assertStringIncludes(first.out, "takes it when it starts");
  const valid = await run("validate", "--envoy", envoy);
  assertEquals([valid.code, valid.out], [0, "Envoy accepts the configuration\n"], valid.err);
  const shown = await run("render", "--print");
  assertStringIncludes(shown.out, "default_filter_chain");
  assert(!shown.out.includes("/sandbox/fund"), "production has no such path (F51)");
  await writeFile(file("edge2"), "h".repeat(40), { mode: 0o600 });
  assertEquals((await run("rotate", "--edge-secret", file("edge2"))).code, 0);
  const sds = await readFile(`${folder}/sidecar/sds/edge_secret.yaml`, "utf8");
  const [, path] = /filename: (.+)/.exec(sds) ?? [];
  assertEquals(await readFile(path!, "utf8"), "h".repeat(40));
});

test("the command stores addresses for Envoy's start, and names the mistake in a list", async () => {
  const hand = async (text: string) => {
    await writeFile(file("addresses.yaml"), text);
    return await run("addresses", "--list", file("addresses.yaml"));
  };
  assertEquals((await run("addresses")).code, 2);
  const bad = await hand("- {partner: bank-one, addresses: [192.0.2.300]}");
  assertEquals([bad.code, bad.err], [1, "sidecar: bank-one: 192.0.2.300 must be an address\n"]);
  const good = await hand("- {partner: bank-one, addresses: [192.0.2.0/24, '2001:db8::/32']}");
  assertEquals([good.code, good.err], [0, ""]);
  assertStringIncludes(good.out, "addresses of 1 partner(s) are stored");
  const valid = await run("validate", "--envoy", envoy);
  assertEquals([valid.code, valid.out], [0, "Envoy accepts the configuration\n"], valid.err);
  const shown = await run("render", "--print");
  assertStringIncludes(shown.out, "address_prefix: 192.0.2.0");
  const rules = await run("firewall");
  assertMatch(rules.out, /elements = \{ 192\.0\.2\.0\/24 \}[^]*elements = \{ 2001:db8::\/32 \}/);
  const both = "- {partner: a, addresses: [192.0.2.1, 192.0.2.2]}\n" +
    "- {partner: b, addresses: [192.0.2.1]}\n";
  await writeFile(file("both.yaml"), both);
  const checked = await run("check", "--list", file("both.yaml"));
  assertEquals(
    checked.out,
    "the list is good: 2 partner(s), 2 filter chain(s)\n" +
      "a, b share 512 connections from 192.0.2.1/32\n" +
      "from anywhere else: 256 connections in all\n",
  );
});

test("run says why Envoy does not start, and not what an earlier start printed", async () => {
  const ended = await run("run", "--envoy", "/bin/false");
  assertEquals([ended.code, ended.err], [1, "sidecar: Envoy does not start: it says why above\n"]);
  const absent = await run("run", "--envoy", "/no/envoy");
  assertMatch(absent.err, /Envoy does not start: .*\/no\/envoy ENOENT/);
  await writeFile(`${folder}/sidecar/envoy.log`, "an earlier start\n");
  const whole = readSettings(await readFile(settings, "utf8"));
  const error = await runEnvoy("/bin/false", whole, Date.now()).catch((error: Error) => error);
  assertEquals((error as Error).message, "Envoy does not start: it printed nothing");
});

test("the command reports Envoy's reason when Envoy refuses the configuration", async () => {
  await writeFile(`${folder}/sidecar/sds/edge_secret.yaml`, "resources: nonsense");
  await rm(`${folder}/sidecar/sds/partner_ca.yaml`);
  const { code, err } = await run("validate", "--envoy", envoy);
  assertEquals(code, 1);
  assertStringIncludes(err, "partner_ca.yaml");
});
