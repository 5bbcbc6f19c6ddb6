import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { commandLine } from "../programs/command_line.ts";
import { findProgram } from "../programs/find_program.ts";
import { runProgram } from "../programs/run_program.ts";
import { createAuthority } from "../../test/support/edge/authority.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { listen } from "../../test/support/listen.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { packSidecar } from "./pack_sidecar.ts";

// The packed @sabika/sidecar in an empty folder, without a network, before a service of somebody's own.

const folder = temporaryFolder();
const here = join(folder, "empty");
await mkdir(here);
const tarball = await packSidecar(join(folder, "packed"));
const npx = [
  "--offline",
  "--yes",
  "--cache",
  join(folder, "cache"),
  "--package",
  tarball,
  "sidecar",
];
const run = async (...args: string[]) => {
  const end = await runProgram("npx", [...npx, ...args], { cwd: here });
  testRecord.log("sidecar", end.stdout + end.stderr);
  return end;
};
const service = createServer((request, response) => {
  response.end(JSON.stringify(request.headers));
});
const port = await listen(service);
after(() => {
  service.closeAllConnections();
  service.close();
});

test("npx @sabika/sidecar renders, checks and runs from an empty folder", async () => {
  const authority = await createAuthority("Bank CA");
  const [server, partner] = [
    await authority.issueServer(),
    await authority.issue({ commonName: "shop" }),
  ];
  const secret = crypto.randomUUID();
  testRecord.secret("edge secret", secret);
  const files = {
    "server.crt": server.certificate,
    "server.key": server.key,
    "ca.crt": authority.pem,
    "ca.crl": await authority.crl(),
    edge_secret: secret,
    "sidecar.yaml": `folder: ${here}/sidecar
profile: plain
listen: 127.0.0.1:0
watch: 127.0.0.1:0
serverNames: [localhost]
instances: [{ address: "127.0.0.1:${port}" }]
accessLog: ${here}/access.log
`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(here, name), text, { mode: 0o600 });
  }
  const settings = ["--settings", "sidecar.yaml"];
  const set = commandLine`--server-certificate server.crt --server-key server.key
    --partner-ca ca.crt --partner-crl ca.crl --edge-secret edge_secret`;
  const shown = await run("render", ...settings, "--print");
  assertStringIncludes(shown.stdout, "x-client-certificate-sha256", shown.stderr);
  assertEquals((await run("check", ...settings, ...set)).stdout, "the set is good\n");
  assertEquals((await run("rotate", ...settings, ...set)).exitCode, 0);

  const envoy = (await findProgram("envoy")).command;
  // A group of its own, as of a shell, in which Ctrl-C reaches all.
  const child = spawn("npx", [...npx, "run", ...settings, "--envoy", envoy], {
    cwd: here,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (part) => {
        output += part;
        const port = /^ready on port (\d+)/m.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
    child.once("exit", () => reject(new Error(output)));
  });
  const ended = once(child, "exit");
  const answer = await rawCall(
    { authority, partner, envoy: { port: await ready } },
    requestText("GET", "/who", [`X-Client-Certificate-SHA256: ${"f".repeat(64)}`]),
  );
  assertEquals(answer.status, 200, answer.text);
  const headers = JSON.parse(answer.body);
  assertEquals(headers["x-client-certificate-sha256"], partner.hashHex);
  assertEquals(headers["x-edge-secret"], secret);
  process.kill(-child.pid!, "SIGINT");
  await ended;
  testRecord.log("sidecar", output);
  assertMatch(output, /^ended$/m);
  const log = await readFile(join(here, "access.log"), "utf8");
  assertEquals(JSON.parse(log).request_id, headers["x-request-id"]);
  assertEquals((await readdir(here)).filter((name) => name.startsWith("node_modules")), []);
});

test("packed twice, the package is the same byte for byte", async () => {
  const again = await packSidecar(join(folder, "again"));
  assertEquals(await readFile(again), await readFile(tarball));
});
