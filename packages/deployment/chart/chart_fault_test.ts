/** The Helm chart, rendered by helm for three sets of values. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS, envoyArguments, readSettings } from "@sabika/sidecar";
import { parse, parseAllDocuments } from "yaml";
import { createAuthority } from "../../../test/support/edge/authority.ts";
import { findEnvoy } from "../../../tools/programs/find_envoy.ts";
import { findHelm, type HelmPrograms } from "../../../tools/programs/find_helm.ts";
import { mustRun, runProgram } from "../../../tools/programs/run_program.ts";
import { CONTAINER_PLACES, CONTAINER_PLAN } from "../containers/container_plan.ts";
import {
  builtProgram,
  DELIVERY,
  type DeploymentPlan,
  OFFICE_PROGRAM,
  officeEnvironment,
  SERVER_PROGRAM,
  serverEnvironment,
  sidecarSettings,
} from "../services.ts";

const CHART = fileURLToPath(new URL("./", import.meta.url));
const SIDECAR = fileURLToPath(new URL("../../sidecar/main.ts", import.meta.url));
const EXAMPLES = (await readdir(join(CHART, "examples"))).sort();

/** The parts of Kubernetes' objects that are looked at. */
interface Container {
  name: string;
  image: string;
  command: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  resources: { limits: Record<string, string> };
  securityContext: unknown;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface Pod {
  automountServiceAccountToken: boolean;
  securityContext: Record<string, unknown>;
  initContainers?: Container[];
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
}
// deno-lint-ignore no-explicit-any
type KubernetesObject = any;

describe("the Helm chart", () => {
  let programs: HelmPrograms;
  let folder = "";
  const rendered = new Map<string, KubernetesObject[]>();
  const render = (...values: string[]) =>
    runProgram(programs.helm, ["template", "gold", CHART, "--kube-version", "1.30.0", ...values]);
  before(async () => {
    programs = await findHelm();
    folder = await mkdtemp(join(tmpdir(), "sabika-chart-"));
    for (const example of EXAMPLES) {
      const { exitCode, stdout, stderr } = await render(
        "--values",
        join(CHART, "examples", example),
      );
      assertEquals([exitCode, stderr], [0, ""], example);
      await writeFile(join(folder, example), stdout);
      rendered.set(example, parseAllDocuments(stdout).map((one) => one.toJS()));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const object = (example: string, kind: string, name: string) => {
    const found = rendered.get(example)!.find((one) =>
      one?.kind === kind && one.metadata.name === name
    );
    assert(found !== undefined, `${example}: ${kind} ${name}`);
    return found;
  };
  /** A sandbox may go without. */
  const hasOffice = (example: string) => example !== "sandbox.yaml";
  const podOf = (one: KubernetesObject): Pod => one.spec.template.spec;
  const pods = (example: string) =>
    [
      ["Deployment", "gold-server"],
      ["Deployment", "gold-delivery"],
      ["Job", "gold-migrate"],
      ...hasOffice(example) ? [["Deployment", "gold-office"]] : [],
    ].map(([kind, name]) => [name!, podOf(object(example, kind!, name!))] as const);
  const containersOf = (pod: Pod) => [...pod.initContainers ?? [], ...pod.containers];
  const containerOf = (pod: Pod, name: string) =>
    containersOf(pod).find((one) => one.name === name)!;
  const environmentOf = ({ env = [] }: Container) =>
    Object.fromEntries(env.map(({ name, value }) => [name, value]));

  it("is taken by helm's own judge and by Kubernetes' schemas, whatever the values", async () => {
    assertEquals(EXAMPLES, ["large.yaml", "production.yaml", "sandbox.yaml"]);
    for (const example of EXAMPLES) {
      const values = ["--values", join(CHART, "examples", example)];
      await mustRun(programs.helm, ["lint", "--strict", "--quiet", CHART, ...values]);
    }
    const judge = (file: string) =>
      runProgram(programs.kubeconform, [
        ...["-strict", "-summary"],
        ...["-schema-location", join(programs.schemas, "{{.ResourceKind}}{{.KindSuffix}}.json")],
        join(folder, file),
      ]);
    for (const example of EXAMPLES) {
      const { exitCode, stdout } = await judge(example);
      assertEquals(exitCode, 0, stdout);
      assertStringIncludes(stdout, "Invalid: 0, Errors: 0, Skipped: 0");
    }
    // The judge sees what it should.
    const text = await readFile(join(folder, "large.yaml"), "utf8");
    await writeFile(
      join(folder, "wrong.yaml"),
      text.replace("maxUnavailable: 0", "maxUnavailabel: 0"),
    );
    const { exitCode, stdout } = await judge("wrong.yaml");
    assertEquals(exitCode, 1, stdout);
    assertStringIncludes(stdout, "maxUnavailabel");
  });

  it("is refused without digests, and with a value that it does not know", async () => {
    const bare = await render();
    assertEquals(bare.exitCode, 1);
    assertMatch(bare.stderr, /digest/);
    const production = ["--values", join(CHART, "examples", "production.yaml")];
    const unknown = await render(...production, "--set", "servers.replica=3");
    assertMatch(unknown.stderr, /replica/);
    const plain = await render(...production, "--set", "baseUrl=http://api.bank.example");
    assertMatch(plain.stderr, /baseUrl/);
  });

  it("runs what the stack runs, with its settings; what differs is named", () => {
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

  it("runs the office as the description does, where it is given a name", () => {
    for (const example of EXAMPLES) {
      const all = rendered.get(example)!.filter((one) => one?.metadata.name === "gold-office");
      const kinds = all.map(({ kind }) => kind).sort();
      if (!hasOffice(example)) {
        assertEquals(kinds, [], example);
        continue;
      }
      assertEquals(kinds, ["Deployment", "NetworkPolicy", "Service"], example);
      const pod = podOf(object(example, "Deployment", "gold-office"));
      const office = containerOf(pod, "office");
      const { SABIKA_ADMIN_ORIGIN: origin } = environmentOf(office);
      const expected = officeEnvironment(CONTAINER_PLAN, {
        origin: origin!,
        listen: "0.0.0.0:9443",
      });
      const provider: Record<string, string> = example === "large.yaml"
        ? {
          SABIKA_ADMIN_OIDC_ISSUER: "https://login.bank.example/gold",
          SABIKA_ADMIN_OIDC_CLIENT_ID: "sabika-office",
          SABIKA_ADMIN_OIDC_CLIENT_SECRET_FILE: "/var/lib/sabika/administration/oidc_client_secret",
        }
        : {};
      assertEquals(environmentOf(office), {
        ...{ ...expected, ...provider, SABIKA_ENVIRONMENT: "production" },
      });
      assertEquals(office.command, ["node", builtProgram(OFFICE_PROGRAM)]);
      // Of the servers' secret it sees the master keys alone.
      const [{ items }] = pod.volumes.flatMap(({ name, secret }) =>
        name === "secrets" ? secret as KubernetesObject : []
      );
      assertEquals(items, [{ key: "master.key", path: "master.key" }]);
      const { spec: policy } = object(example, "NetworkPolicy", "gold-office");
      assertEquals(policy.ingress.map(({ ports }: KubernetesObject) => ports[0].port), [9443]);
      assertEquals("from" in policy.ingress[0], true);
      // Partners' service leads to the servers' pods alone.
      const { selector } = object(example, "Service", "gold").spec;
      assertEquals(selector["app.kubernetes.io/component"], "server");
      const people = object(example, "Service", "gold-office").spec;
      assertEquals(people.type, "ClusterIP");
      for (const chosen of [people.selector, policy.podSelector.matchLabels]) {
        assertEquals(chosen["app.kubernetes.io/component"], "office");
      }
    }
  });

  it("starts Envoy as the stack does, and sets it alike", () => {
    for (const example of EXAMPLES) {
      const { plan, envoy, settings } = described(example);
      // A pod's connections have to be gone before it ends, those of the stack within ten minutes.
      const soon = ["--drain-time-s", String(plan.drainSeconds)];
      assertEquals(envoy.args, [
        ...envoyArguments(`${CONTAINER_PLACES.sidecar}/envoy.yaml`),
        ...soon,
      ]);
      const expected = sidecarSettings(plan, {
        ...{ listen: "0.0.0.0:8443", watch: "0.0.0.0:9902" },
        ...{ accessLog: "stdout", tlsLog: "stdout" },
      });
      // Partners call it by its name alone, and have the limits of production.
      const serverNames = [new URL(plan.baseUrl).hostname];
      assertEquals(settings, { ...expected, serverNames, limits: DEFAULT_LIMITS }, example);
    }
  });

  it("makes in its first containers what Envoy accepts, and keeps it", async () => {
    const envoy = await findEnvoy();
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
    await mustRun("mkdir", ["-p", join(folder, "set"), join(folder, "settings")]);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text, { mode: 0o600 });
    }
    for (const { name, command } of server.steps) {
      const [, program, ...given] = command;
      assertEquals(program, "packages/sidecar/main.js", name);
      await runSidecar(given.map(moved));
    }
    await runSidecar(["validate", "--envoy", envoy, ...["--settings", moved(SETTINGS)]]);

    // The keeper's own text, with a shorter pause, until it has done what it does at a change.
    const script = moved(keeper.command[2]!).replace("sleep 30", "sleep 0.1")
      .replaceAll(
        "node packages/sidecar/main.js",
        `${process.execPath} --import tsx ${SIDECAR}`,
      ).replace("last=$now", "exit 7");
    const { exitCode, stdout, stderr } = await runProgram("sh", ["-c", script]);
    assertEquals(exitCode, 7, stderr);
    assertMatch(stdout, /set \S+ is stored[^]*addresses of 2 partner\(s\) are stored/);
  });

  it("gives no container more than it needs, and holds no secret", () => {
    for (const example of EXAMPLES) {
      assertEquals(rendered.get(example)!.some((one) => one?.kind === "Secret"), false);
      for (const [name, pod] of pods(example)) {
        assertEquals(pod.automountServiceAccountToken, false, name);
        const { runAsNonRoot, runAsUser } = pod.securityContext;
        assertEquals([runAsNonRoot, runAsUser], [true, 10001], name);
        const secrets = pod.volumes.flatMap(({ secret }) => secret ?? []);
        for (const { defaultMode } of secrets) assertEquals(defaultMode, 0o440, name);
        const seesOwner = secrets.some(({ secretName }) => secretName === "sabika-owner");
        assertEquals(seesOwner, name === "gold-migrate", name);
        for (const one of containersOf(pod)) {
          const what = `${example}: ${name}: ${one.name}`;
          assertMatch(one.image, /^[\w./:-]+@sha256:[0-9a-f]{64}$/, what);
          assertEquals(one.securityContext, {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          }, what);
          assert("memory" in one.resources.limits && "cpu" in one.resources.limits, what);
          const said = [...one.command, ...one.args ?? [], ...Object.values(environmentOf(one))];
          for (const [path] of said.join(" ").matchAll(/\/(?:var\/lib|run)\/sabika\/[\w./-]+/g)) {
            const has = one.volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`));
            assert(has, `${what}: ${path}`);
          }
          for (const { name: volume } of one.volumeMounts) {
            assert(pod.volumes.some((known) => known.name === volume), `${what}: ${volume}`);
          }
        }
        const envoy = containerOf(pod, "envoy");
        if (envoy !== undefined) {
          assert(!envoy.volumeMounts.some((mount) => mount.name === "secrets"), example);
        }
      }
    }
  });

  it("lets partners reach Envoy alone, and watchers the figures", () => {
    for (const example of EXAMPLES) {
      const { pod } = described(example);
      const open = pod.containers.flatMap(({ ports = [] }) => ports);
      assertEquals(Object.fromEntries(open.map((port) => [port.name, port.containerPort])), {
        watch: CONTAINER_PLAN.watchPort!,
        partners: 8443,
        statistics: 9902,
      });
      const { spec } = object(example, "NetworkPolicy", "gold");
      const [partners, watchers] = spec.ingress;
      const portsOf = (rule: KubernetesObject) =>
        rule.ports.map(({ port }: { port: number }) => port);
      assertEquals([portsOf(partners), portsOf(watchers)], [[8443], [9464, 9902]]);
      assertEquals("from" in watchers, true);
      const service = object(example, "Service", "gold").spec;
      assertEquals(service.ports[0].targetPort, "partners");
      const { labels } = object(example, "Deployment", "gold-server").spec.template.metadata;
      const chosen = [service.selector, spec.podSelector.matchLabels];
      // A single server is not kept from moving.
      const budgets = rendered.get(example)!.filter((one) => one?.kind === "PodDisruptionBudget");
      assertEquals(budgets.length, example === "sandbox.yaml" ? 0 : 1);
      for (const { spec } of budgets) chosen.push(spec.selector.matchLabels);
      for (const wanted of chosen) {
        for (const [key, value] of Object.entries(wanted)) assertEquals(labels[key], value, key);
      }
    }
  });

  const SETTINGS = "/settings/sidecar.yaml";

  /** The same text with the containers' folders below the test's own. */
  function moved(text: string): string {
    return text.replace(
      /(?<![\w.])\/(set|settings|var\/lib\/sabika|run\/sabika)\//g,
      (path) => `${folder}${path}`,
    );
  }

  async function runSidecar(args: string[]): Promise<void> {
    await mustRun(process.execPath, ["--import", "tsx", SIDECAR, ...args]);
  }

  /** A set of values as the description has it, and the chart's containers. */
  function described(example: string) {
    const pod = podOf(object(example, "Deployment", "gold-server"));
    const delivery = podOf(object(example, "Deployment", "gold-delivery")).containers[0]!;
    const server = Object.assign(containerOf(pod, "server"), { steps: pod.initContainers! });
    const sidecar: Record<string, string> = object(example, "ConfigMap", "gold-sidecar").data;
    const environment = environmentOf(server);
    const plan: DeploymentPlan = {
      ...CONTAINER_PLAN,
      environment: environment["SABIKA_ENVIRONMENT"] as DeploymentPlan["environment"],
      baseUrl: environment["SABIKA_BASE_URL"]!,
      instances: ["server-1"],
      databaseConnections: Number(environment["SABIKA_DATABASE_CONNECTIONS"]),
      // Longer than a cluster takes to send nobody here any more.
      drainSeconds: 10,
    };
    assert(Array.isArray(parse(sidecar["addresses.yaml"]!)), example);
    return {
      ...{ pod, plan, server, delivery, sidecar },
      envoy: containerOf(pod, "envoy"),
      keeper: containerOf(pod, "keeper"),
      settings: readSettings(sidecar["sidecar.yaml"]!),
    };
  }
});
