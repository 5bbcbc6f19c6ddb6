/** The Helm chart, rendered by helm for three sets of values. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import {
  CHART,
  containerOf,
  containersOf,
  environmentOf,
  EXAMPLES,
  type KubernetesObject,
  podOf,
  renderChart,
  type RenderedChart,
} from "../../../test/support/containers/rendered_chart.ts";
import { parseAllDocuments } from "yaml";
import { readDatabaseUrl } from "@sabika/database";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { mustRun, runProgram } from "../../../tools/programs/run_program.ts";
import { CONTAINER_PLAN } from "../containers/container_plan.ts";
import { builtProgram, OFFICE_PROGRAM, officeEnvironment } from "../services.ts";

describe("the Helm chart", () => {
  let chart: RenderedChart;
  before(async () => void (chart = await renderChart()));
  const object: RenderedChart["object"] = (...names) => chart.object(...names);
  /** The sandbox's values have no office, which is optional there. */
  const hasOffice = (example: string) => example !== "sandbox.yaml";
  const pods = (example: string) =>
    [
      ["Deployment", "gold-server"],
      ["Deployment", "gold-delivery"],
      ["Job", "gold-migrate"],
      ...hasOffice(example) ? [["Deployment", "gold-office"]] : [],
    ].map(([kind, name]) => [name!, podOf(object(example, kind!, name!))] as const);

  it("passes helm's linter and Kubernetes' schemas with each set of values", async () => {
    assertEquals(EXAMPLES, ["large.yaml", "production.yaml", "sandbox.yaml"]);
    for (const example of EXAMPLES) {
      const values = ["--values", join(CHART, "examples", example)];
      await mustRun(chart.helm, ["lint", "--strict", "--quiet", CHART, ...values]);
    }
    const { command, args, env } = await findProgram("kubernetes-validate");
    const validate = (file: string, version = "1.37") =>
      runProgram(
        command,
        [...args, "--kubernetes-version", version, "--strict", join(chart.folder, file)],
        { env: { ...process.env, ...env } },
      );
    for (const example of EXAMPLES) {
      for (const version of ["1.25", "1.37"]) {
        const { exitCode, stdout, stderr } = await validate(example, version);
        assertEquals(exitCode, 0, `${version}: ${stdout}${stderr}`);
      }
    }
    // A misspelt field is found, so the validation is not empty.
    const text = await readFile(join(chart.folder, "large.yaml"), "utf8");
    await writeFile(
      join(chart.folder, "wrong.yaml"),
      text.replace("maxUnavailable: 0", "maxUnavailabel: 0"),
    );
    const { exitCode, stdout, stderr } = await validate("wrong.yaml");
    assertEquals(exitCode, 1);
    assertStringIncludes(`${stdout}${stderr}`, "maxUnavailabel");
  });

  it("does not render without digests, or with a value that it does not know", async () => {
    const bare = await chart.render();
    assertEquals(bare.exitCode, 1);
    assertMatch(bare.stderr, /digest/);
    const production = ["--values", join(CHART, "examples", "production.yaml")];
    const unknown = await chart.render(...production, "--set", "servers.replica=3");
    assertMatch(unknown.stderr, /replica/);
    const plain = await chart.render(...production, "--set", "baseUrl=http://api.bank.example");
    assertMatch(plain.stderr, /baseUrl/);
  });

  it("has a database that CloudNativePG fails over, where the values ask for it, and its URLs", async () => {
    const production = ["--values", join(CHART, "examples", "production.yaml")];
    const bare = await chart.render(...production, "--set", "database.instances=3");
    assertMatch(bare.stderr, /digest/);
    const digest = `database.image.digest=sha256:${"b".repeat(64)}`;
    const { stdout } = await chart.render(...production, "--set", `database.instances=3,${digest}`);
    const objects: KubernetesObject[] = parseAllDocuments(stdout).map((found) => found.toJS());
    const find = (wanted: string, name: string) =>
      objects.find((found) => found?.kind === wanted && found.metadata.name === name)!;
    const { spec } = find("Cluster", "gold-database");
    assertEquals(spec.instances, 3);
    assertEquals(spec.postgresql.synchronous.dataDurability, "required");
    const { roles } = spec.managed;
    for (
      const [kind, name, variable, login] of [
        ["Deployment", "gold-server", "SABIKA_DATABASE_URL", "server"],
        ["Deployment", "gold-delivery", "SABIKA_DATABASE_URL", "server"],
        ["Deployment", "gold-office", "SABIKA_DATABASE_URL", "office"],
        ["Job", "gold-migrate", "SABIKA_OWNER_DATABASE_URL", "owner"],
      ] as const
    ) {
      const pod = podOf(find(kind, name));
      const [{ env, volumeMounts }] = pod.containers as [KubernetesObject];
      const { value } = env.find((entry: { name: string }) => entry.name === variable);
      const { servers, ssl, rootCertificateFile } = readDatabaseUrl(
        value.replace("$(DATABASE_LOGIN)", "login").replace("$(DATABASE_PASSWORD)", "word"),
      );
      assertEquals([servers[0].host, ssl], ["gold-database-rw", "verify-full"], name);
      const { key, name: secret } = env.find((entry: { name: string }) =>
        entry.name === "DATABASE_PASSWORD"
      ).valueFrom.secretKeyRef;
      assertEquals([key, secret], ["password", `sabika-${login}-login`]);
      assert(roles.some((role: KubernetesObject) => role.passwordSecret.name === secret), name);
      const folder = volumeMounts.find((mount: { name: string }) => mount.name === "database");
      assertEquals(rootCertificateFile, `${folder.mountPath}/ca.crt`, name);
      assert(
        !env.some((entry: { name: string }) => entry.name.endsWith("DATABASE_URL_FILE")),
        name,
      );
    }
    const { egress } = find("NetworkPolicy", "gold").spec;
    assertEquals(egress[0].to[0].podSelector.matchLabels, { "cnpg.io/cluster": "gold-database" });
    // An installation has its database before it is migrated.
    const { annotations } = find("Job", "gold-migrate").metadata;
    assertEquals(annotations["helm.sh/hook"], "post-install,pre-upgrade");
  });

  it("tells all that open what is sealed of AWS KMS, where the values ask for it", async () => {
    const production = ["--values", join(CHART, "examples", "production.yaml")];
    const keyService = "secrets.keyService.server=server-kms,secrets.keyService.office=office-kms";
    const { stdout } = await chart.render(...production, "--set", keyService);
    const told = parseAllDocuments(stdout).map((found): KubernetesObject => found.toJS()).flatMap(
      (found) =>
        (found?.spec?.template?.spec?.containers ?? []).flatMap((
          { name, envFrom = [] }: KubernetesObject,
        ) => envFrom.map(({ secretRef }: KubernetesObject) => `${name} ${secretRef.name}`)),
    );
    assertEquals(told.sort(), ["delivery server-kms", "office office-kms", "server server-kms"]);
    assertStringIncludes(stdout, "optional: true");
  });

  it("runs the office with the plan's environment, where the values ask for it", () => {
    for (const example of EXAMPLES) {
      const objects = chart.rendered.get(example)!.filter((object) =>
        object?.metadata.name === "gold-office"
      );
      const kinds = objects.map(({ kind }) => kind).sort();
      if (!hasOffice(example)) {
        assertEquals(kinds, [], example);
        continue;
      }
      assertEquals(kinds, ["Deployment", "NetworkPolicy", "Service"], example);
      const pod = podOf(object(example, "Deployment", "gold-office"));
      const office = containerOf(pod, "office");
      const { SABIKA_ADMIN_ORIGIN: origin } = environmentOf(office);
      const servers = podOf(object(example, "Deployment", "gold-server"));
      const { SABIKA_BASE_URL: baseUrl } = environmentOf(containerOf(servers, "server"));
      const cells = example === "large.yaml" ? ["b"] : [];
      const expected = officeEnvironment({ ...CONTAINER_PLAN, baseUrl: baseUrl!, cells }, {
        origin: origin!,
        listen: "0.0.0.0:9443",
      });
      const provider: Record<string, string> = example === "large.yaml"
        ? {
          SABIKA_ADMIN_OIDC_ISSUER: "https://login.bank.example/gold",
          SABIKA_ADMIN_OIDC_CLIENT_ID: "sabika-office",
          SABIKA_ADMIN_OIDC_CLIENT_SECRET_FILE: "/var/lib/sabika/administration/oidc_client_secret",
          SABIKA_MAIL_SERVER: "smtps://mail.bank.example",
          SABIKA_MAIL_FROM: "gold@bank.example",
          SABIKA_MAIL_USER: "gold",
          SABIKA_MAIL_PASSWORD_FILE: "/var/lib/sabika/administration/mail_password",
          SABIKA_NOTIFY_WEBHOOK_URL: "https://alerts.bank.example/gold",
          SABIKA_NOTIFY_WEBHOOK_SECRET_FILE: "/var/lib/sabika/administration/webhook_secret",
          SABIKA_RESERVE_LOW_GRAMS: "25000",
        }
        : {};
      assertEquals(environmentOf(office), {
        ...expected,
        ...provider,
        SABIKA_ENVIRONMENT: "production",
      });
      assertEquals(office.command, ["node", builtProgram(OFFICE_PROGRAM)]);
      // Of the servers' secret, the office sees only the master keys.
      const [{ items }] = pod.volumes.flatMap(({ name, secret }) =>
        name === "secrets" ? secret as KubernetesObject : []
      );
      assertEquals(items, [{ key: "master.key", path: "master.key" }]);
      const { spec: policy } = object(example, "NetworkPolicy", "gold-office");
      assertEquals(policy.ingress.map(({ ports }: KubernetesObject) => ports[0].port), [9443]);
      const mail = example === "large.yaml" ? 465 : undefined;
      assertEquals(policy.egress?.[0].ports[0].port, mail);
      assertEquals("from" in policy.ingress[0], true);
      // The partners' service leads only to the servers' pods.
      const { selector } = object(example, "Service", "gold").spec;
      assertEquals(selector["app.kubernetes.io/component"], "server");
      const officeService = object(example, "Service", "gold-office").spec;
      assertEquals(officeService.type, "ClusterIP");
      for (const selector of [officeService.selector, policy.podSelector.matchLabels]) {
        assertEquals(selector["app.kubernetes.io/component"], "office");
      }
    }
  });

  it("gives no container more than it needs, and holds no secret", () => {
    for (const example of EXAMPLES) {
      assertEquals(chart.rendered.get(example)!.some((object) => object?.kind === "Secret"), false);
      for (const [name, pod] of pods(example)) {
        assertEquals(pod.automountServiceAccountToken, false, name);
        const { runAsNonRoot, runAsUser } = pod.securityContext;
        assertEquals([runAsNonRoot, runAsUser], [true, 10001], name);
        const secrets = pod.volumes.flatMap(({ secret }) => secret ?? []);
        for (const { defaultMode } of secrets) assertEquals(defaultMode, 0o440, name);
        const mountsOwner = secrets.some(({ secretName }) => secretName === "sabika-owner");
        assertEquals(mountsOwner, name === "gold-migrate", name);
        for (const container of containersOf(pod)) {
          const what = `${example}: ${name}: ${container.name}`;
          assertMatch(container.image, /^[\w./:-]+@sha256:[0-9a-f]{64}$/, what);
          assertEquals(container.securityContext, {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          }, what);
          assert(
            "memory" in container.resources.limits && "cpu" in container.resources.limits,
            what,
          );
          const words = [
            ...container.command,
            ...container.args ?? [],
            ...Object.values(environmentOf(container)),
          ];
          for (const [path] of words.join(" ").matchAll(/\/(?:var\/lib|run)\/sabika\/[\w./-]+/g)) {
            const isMounted = container.volumeMounts.some(({ mountPath }) =>
              `${path}/`.startsWith(`${mountPath}/`)
            );
            assert(isMounted, `${what}: ${path}`);
          }
          for (const { name: volume } of container.volumeMounts) {
            assert(
              pod.volumes.some((podVolume) => podVolume.name === volume),
              `${what}: ${volume}`,
            );
          }
        }
        const envoy = containerOf(pod, "envoy");
        if (envoy !== undefined) {
          assert(!envoy.volumeMounts.some((mount) => mount.name === "secrets"), example);
        }
      }
    }
  });

  it("lets partners reach only Envoy, and monitoring only the metrics", () => {
    for (const example of EXAMPLES) {
      const pod = podOf(object(example, "Deployment", "gold-server"));
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
      const selectors = [service.selector, spec.podSelector.matchLabels];
      // A budget for a single server would keep its node from being drained.
      const budgets = chart.rendered.get(example)!.filter((object) =>
        object?.kind === "PodDisruptionBudget"
      );
      assertEquals(budgets.length, example === "sandbox.yaml" ? 0 : 1);
      for (const { spec } of budgets) selectors.push(spec.selector.matchLabels);
      for (const selector of selectors) {
        for (const [key, value] of Object.entries(selector)) assertEquals(labels[key], value, key);
      }
    }
  });
});
