import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { envoyArguments, readSettings, sidecarFolders } from "@sabika/sidecar";
import { onPath } from "../../../tools/programs/on_path.ts";
import {
  DELIVERY,
  type DeploymentPlan,
  officeEnvironment,
  serverEnvironment,
  sidecarSettings,
} from "../services.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const files: Record<string, string> = {};
for (const name of await readdir(FOLDER, { recursive: true })) {
  if (/\.\w+$/.test(name) && !name.endsWith(".ts")) {
    files[name] = await readFile(join(FOLDER, name), "utf8");
  }
}
/** Runs as root, since only root may change the firewall; reads the addresses of the sidecar. */
const FIREWALL = "sabika-firewall.service";
/** Runs on the databases' machines. */
const DISK_GUARD = "sabika-disk-guard.service";
const units = Object.entries(files).filter(([name]) => name.endsWith(".service"));

/** The production shape on machines without containers; `%i` is the instance's number. */
const PLAN: DeploymentPlan = {
  environment: "production",
  baseUrl: "https://api.bank.example",
  instances: ["server-1", "server-2"],
  databaseConnections: 8,
  drainSeconds: 3,
  places: {
    secrets: "/etc/sabika/secrets",
    administration: "/etc/sabika/administration",
    root: "/etc/sabika/root",
    databaseSecret: "/etc/sabika/root",
    exporter: "/etc/sabika/exporter",
    sidecar: "/var/lib/sabika/sidecar",
    sockets: "/run/sabika/sockets",
    adminSocket: "/run/sabika/admin",
    authority: "/etc/sabika/authority",
    partners: "/var/lib/sabika/partners",
    revocations: "/var/lib/sabika/revocations",
    snapshots: "/var/lib/sabika/snapshots",
  },
};
const OFFICE = { origin: "https://office.bank.example", listen: "0.0.0.0:9443" };
const SIDECAR = {
  listen: "0.0.0.0:8443",
  watch: "127.0.0.1:9902",
  accessLog: "stdout",
  tlsLog: "stdout",
};

/** The values of one setting of a unit. */
function valuesOf(unit: string, name: string): string[] {
  return [...files[unit]!.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value!);
}

const environmentOf = (unit: string): Record<string, string> =>
  Object.fromEntries(valuesOf(unit, "Environment").map((line) => line.split(/=(.*)/).slice(0, 2)));

test("units run the stack's programs as a user without rights, and hold no secret", () => {
  for (
    const [unit, environment] of [
      ["sabika-server@.service", serverEnvironment(PLAN, "server-%i")],
      ["sabika-delivery.service", serverEnvironment(PLAN, DELIVERY)],
      ["sabika-office.service", officeEnvironment(PLAN, OFFICE)],
    ] as const
  ) {
    const { SABIKA_BASE_URL: _, SABIKA_ADMIN_ORIGIN: __, ...expected } = environment;
    assertEquals(environmentOf(unit), expected);
  }
  const [envoy] = valuesOf("sabika-sidecar.service", "ExecStart");
  assertEquals(envoy?.split(" ").slice(1), envoyArguments("/var/lib/sabika/sidecar/envoy.yaml"));
  assertEquals(readSettings(files["sidecar.yaml"]!), sidecarSettings(PLAN, SIDECAR));
  for (const [name, text] of units) {
    if (name !== FIREWALL) {
      assertEquals(valuesOf(name, "User"), [name === DISK_GUARD ? "postgres" : "sabika"]);
      assertEquals(valuesOf(name, "CapabilityBoundingSet"), [""]);
    }
    assertEquals(/PASSWORD|_SECRET=|_KEY=/.test(text), false);
  }
});

test("programs that answer, and those beside them, do not interrupt each other (Decision D124)", () => {
  for (const name of ["server@", "sidecar", "office", "delivery"]) {
    assertEquals(valuesOf(`sabika-${name}.service`, "CPUSchedulingPolicy"), ["batch"]);
  }
});

test("with cells, the units have the stack's settings for them", () => {
  const plan = { ...PLAN, cells: ["b"] };
  const [server, office] = ["cells/server.conf", "cells/office.conf"];
  for (
    const [dropIn, expected, without] of [
      [server, serverEnvironment(plan, "server-%i"), serverEnvironment(PLAN, "server-%i")],
      [server, serverEnvironment(plan, DELIVERY), serverEnvironment(PLAN, DELIVERY)],
      [office, officeEnvironment(plan, OFFICE), officeEnvironment(PLAN, OFFICE)],
    ] as const
  ) {
    assertEquals({ ...without, ...environmentOf(dropIn!) }, expected);
    const folders = dropIn === server ? " sabika/snapshots" : "";
    assertEquals(valuesOf(dropIn!, "StateDirectory"), [`sabika/revocations${folders}`]);
  }
});

test("the firewall's unit may change the firewall, read files, and no more", () => {
  assertEquals(valuesOf(FIREWALL, "CapabilityBoundingSet"), ["CAP_NET_ADMIN CAP_DAC_READ_SEARCH"]);
  assertEquals(valuesOf(FIREWALL, "NoNewPrivileges"), ["yes"]);
  const { addresses } = sidecarFolders(PLAN.places.sidecar);
  assertEquals(valuesOf("sabika-firewall.path", "PathChanged"), [addresses]);
});

test("systemd accepts the units", async () => {
  if (onPath("systemd-analyze") === undefined) {
    assertEquals(process.env["CI"], undefined, "systemd-analyze is not installed");
    return console.log("systemd-analyze is not installed: the units were not verified");
  }
  const folder = temporaryFolder();
  // systemd looks for the programs, so a stand-in takes the place of each.
  for (const [name, text] of units) {
    let here = text.replaceAll("/etc/sabika/site.env", join(folder, "site.env"));
    for (
      const program of [
        "/usr/bin/node",
        "/usr/bin/python3",
        "/usr/local/bin/envoy",
        "/usr/sbin/nft",
      ]
    ) {
      here = here.replaceAll(program, join(folder, "program"));
    }
    await writeFile(join(folder, name.replace("@.", "@1.")), here);
  }
  for (const program of ["server@1", "delivery", "office"]) {
    const dropIns = join(folder, `sabika-${program}.service.d`);
    await mkdir(dropIns);
    const name = program === "office" ? "cells/office.conf" : "cells/server.conf";
    await writeFile(join(dropIns, "cells.conf"), files[name]!);
  }
  await writeFile(join(folder, "program"), "#!/bin/sh\n");
  await chmod(join(folder, "program"), 0o755);
  await writeFile(join(folder, "site.env"), "SABIKA_BASE_URL=https://api.bank.example\n");
  for (const [name] of units) {
    const { status, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", join(folder, name.replace("@.", "@1."))],
      { encoding: "utf8" },
    );
    const ours = stderr.split("\n").filter((line) => line.includes("sabika"));
    assertEquals([status, ours], [0, []], name);
  }
});
