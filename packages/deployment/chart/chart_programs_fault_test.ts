/** Compares the programs of the Helm chart's containers with those of the stack. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS, envoyArguments, readSettings } from "@sabika/sidecar";
import { parse } from "yaml";
import {
  containerOf,
  environmentOf,
  EXAMPLES,
  podOf,
  renderChart,
  type RenderedChart,
} from "../../../test/support/containers/rendered_chart.ts";
import { createAuthority } from "../../../test/support/edge/authority.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { mustRun, runProgram } from "../../../tools/programs/run_program.ts";
import { CONTAINER_PLACES, CONTAINER_PLAN } from "../containers/container_plan.ts";
import {
  builtProgram,
  DELIVERY,
  type DeploymentPlan,
  SERVER_PROGRAM,
  serverEnvironment,
  sidecarSettings,
} from "../services.ts";
import { commandLine } from "../../../tools/programs/command_line.ts";

const SIDECAR = fileURLToPath(new URL("../../sidecar/main.ts", import.meta.url));

describe("the Helm chart's programs", () => {
  let chart: RenderedChart;
  before(async () => void (chart = await renderChart()));

  it("run with the stack's commands and settings, apart from the named differences", () => {
    for (const example of EXAMPLES) {
      const { plan, server, delivery } = described(example);
      // A sandbox's partners have receivers elsewhere, with public certificates.
      const { SABIKA_WEBHOOK_ALLOW_LOOPBACK: _, SABIKA_WEBHOOK_CA_FILE: __, ...expected } =
        serverEnvironment(plan, "server-1");
      assertEquals(environmentOf(server), expected, example);
      const { SABIKA_WEBHOOK_ALLOW_LOOPBACK: ___, SABIKA_WEBHOOK_CA_FILE: ____, ...delivers } =
        serverEnvironment(plan, DELIVERY);
      assertEquals(environmentOf(delivery), delivers, example);
      for (const { command } of [server, delivery]) {
        assertEquals(command, ["node", builtProgram(SERVER_PROGRAM)]);
      }
      const [heap] = /\d+/.exec(environmentOf(server)["NODE_OPTIONS"]!)!;
      for (const { resources } of [server, delivery]) {
        const [, gibibytes] = /^(\d+)Gi$/.exec(resources.limits["memory"]!)!;
        assert(Number(gibibytes) * 1024 >= 2 * Number(heap), example);
      }
    }
  });

  it("start Envoy with the stack's arguments and settings", () => {
    for (const example of EXAMPLES) {
      const { plan, envoy, settings } = described(example);
      // A pod's connections must be gone before it ends; those of the stack have ten minutes.
      const drainTime = ["--drain-time-s", String(plan.drainSeconds)];
      assertEquals(envoy.args, [
        ...envoyArguments(`${CONTAINER_PLACES.sidecar}/envoy.yaml`),
        ...drainTime,
      ]);
      const expected = sidecarSettings(plan, {
        listen: "0.0.0.0:8443",
        watch: "0.0.0.0:9902",
        accessLog: "stdout",
        tlsLog: "stdout",
      });
      // Partners call it by its name alone, and have the limits of production.
      const serverNames = [new URL(plan.baseUrl).hostname];
      assertEquals(settings, { ...expected, serverNames, limits: DEFAULT_LIMITS }, example);
    }
  });

  it("create in the init containers what Envoy accepts, and keep it up to date", async () => {
    const envoy = (await findProgram("envoy")).command;
    const { server, keeper, sidecar } = described("production.yaml");
    const authority = await createAuthority("Test CA");
    const certificate = await authority.issueServer();
    const files = {
      "set/server.crt": certificate.certificate,
      "set/server.key": certificate.key,
      "set/partner-ca.crt": authority.pem,
      "set/partner.crl": await authority.crl(),
      "set/edge_secret": "f".repeat(40),
      ...Object.fromEntries(
        Object.entries(sidecar).map(([name, text]) => [`settings/${name}`, moved(text)]),
      ),
    };
    await mustRun("mkdir", ["-p", join(chart.folder, "set"), join(chart.folder, "settings")]);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(chart.folder, name), text, { mode: 0o600 });
    }
    for (const { name, command } of server.steps) {
      const [, program, ...args] = command;
      assertEquals(program, "packages/sidecar/main.js", name);
      await runSidecar(args.map(moved));
    }
    await runSidecar(commandLine`validate --envoy ${envoy} --settings ${moved(SETTINGS)}`);

    // The keeper's own script with a shorter pause, until it has handled one change.
    const script = moved(keeper.command[2]!).replace("sleep 30", "sleep 0.1")
      .replaceAll(
        "node packages/sidecar/main.js",
        `${process.execPath} --import tsx ${SIDECAR}`,
      ).replace("last=$now", "exit 7");
    const { exitCode, stdout, stderr } = await runProgram("sh", ["-c", script]);
    assertEquals(exitCode, 7, stderr);
    assertMatch(stdout, /set \S+ is stored[^]*addresses of 2 partner\(s\) are stored/);
  });

  const SETTINGS = "/settings/sidecar.yaml";

  /** Moves the containers' folders that a text names below the test's own. */
  function moved(text: string): string {
    return text.replace(
      /(?<![\w.])\/(set|settings|var\/lib\/sabika|run\/sabika)\//g,
      (path) => `${chart.folder}${path}`,
    );
  }

  async function runSidecar(args: string[]): Promise<void> {
    await mustRun(process.execPath, ["--import", "tsx", SIDECAR, ...args]);
  }

  /** Returns the plan that a set of values stands for, and the chart's containers. */
  function described(example: string) {
    const pod = podOf(chart.object(example, "Deployment", "gold-server"));
    const delivery = podOf(chart.object(example, "Deployment", "gold-delivery")).containers[0]!;
    const server = Object.assign(containerOf(pod, "server"), { steps: pod.initContainers! });
    const sidecar: Record<string, string> = chart.object(example, "ConfigMap", "gold-sidecar").data;
    const environment = environmentOf(server);
    const plan: DeploymentPlan = {
      ...CONTAINER_PLAN,
      environment: environment["SABIKA_ENVIRONMENT"] as DeploymentPlan["environment"],
      baseUrl: environment["SABIKA_BASE_URL"]!,
      instances: ["server-1"],
      databaseConnections: Number(environment["SABIKA_DATABASE_CONNECTIONS"]),
      // Longer than a cluster takes to stop sending connections here.
      drainSeconds: 10,
      cells: "SABIKA_CELLS_FILE" in environment ? ["b"] : [],
    };
    assert(Array.isArray(parse(sidecar["addresses.yaml"]!)), example);
    return {
      pod,
      plan,
      server,
      delivery,
      sidecar,
      envoy: containerOf(pod, "envoy"),
      keeper: containerOf(pod, "keeper"),
      settings: readSettings(sidecar["sidecar.yaml"]!),
    };
  }
});
