import { envoyArguments, type SidecarSettings } from "@sabika/sidecar";
import { stringify } from "yaml";
import type { Places } from "../places.ts";
import {
  builtProgram,
  DELIVERY,
  type DeploymentPlan,
  OFFICE_PROGRAM,
  officeEnvironment,
  type OfficePlan,
  SERVER_PROGRAM,
  serverEnvironment,
  sidecarSettings,
} from "../services.ts";

/** Where a build lies, and what runs it. */
const BUILD = "/opt/sabika";
const NODE = "/usr/bin/node";
/** What a site sets itself: the address, the environment, what differs from the units. */
const SITE = "/etc/sabika/site.env";

const PLACES: Places = {
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
};

/** The office of these units; the site says its name. */
export const UNIT_OFFICE: OfficePlan = {
  origin: "https://office.bank.example",
  listen: "0.0.0.0:9443",
};

/** The production shape on machines without containers; `%i` is the instance's number. */
export const UNIT_PLAN: DeploymentPlan = {
  environment: "production",
  baseUrl: "https://api.bank.example",
  instances: ["server-1", "server-2"],
  databaseConnections: 8,
  drainSeconds: 3,
  places: PLACES,
};

/** The sidecar's settings beside these units, to be changed where the site differs. */
export function unitSidecar(): SidecarSettings {
  return sidecarSettings(UNIT_PLAN, {
    ...{ listen: "0.0.0.0:8443", watch: "127.0.0.1:9902" },
    ...{ accessLog: "stdout", tlsLog: "stdout" },
  });
}

type Section = readonly (readonly [name: string, value: string])[];

/** What no process of ours needs; V8 compiles, so memory may be written and executed. */
const CONFINED: Section = [
  ["User", "sabika"],
  ["Group", "sabika"],
  ["UMask", "0077"],
  ["NoNewPrivileges", "yes"],
  ["CapabilityBoundingSet", ""],
  ["ProtectSystem", "strict"],
  ["ProtectHome", "yes"],
  ["ProtectProc", "invisible"],
  ["ProtectKernelTunables", "yes"],
  ["ProtectKernelModules", "yes"],
  ["ProtectKernelLogs", "yes"],
  ["ProtectControlGroups", "yes"],
  ["ProtectClock", "yes"],
  ["ProtectHostname", "yes"],
  ["PrivateTmp", "yes"],
  ["PrivateDevices", "yes"],
  ["RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6"],
  ["RestrictNamespaces", "yes"],
  ["RestrictRealtime", "yes"],
  ["RestrictSUIDSGID", "yes"],
  ["LockPersonality", "yes"],
  ["SystemCallArchitectures", "native"],
  ["SystemCallFilter", "@system-service"],
];

/** As in containers: two processors, 1 GB. Sockets stay when one of several units stops. */
const SERVICE: Section = [
  ["Restart", "always"],
  ["RestartSec", "1"],
  ["TimeoutStopSec", "40"],
  ["MemoryMax", "1G"],
  ["CPUQuota", "200%"],
  ["TasksMax", "256"],
  ["LimitNOFILE", "65536"],
  ["RuntimeDirectory", "sabika/sockets sabika/admin"],
  ["RuntimeDirectoryMode", "0700"],
  ["RuntimeDirectoryPreserve", "yes"],
];

/** The unit files and the sidecar's settings, by name. */
export function unitFiles(): Record<string, string> {
  return {
    "sabika-server@.service": serverUnit("Sabika, instance %i", "server-%i"),
    "sabika-delivery.service": serverUnit("Sabika, delivery of webhooks", DELIVERY),
    "sabika-office.service": officeUnit(),
    "sabika-sidecar.service": sidecarUnit(),
    "sabika-migrate.service": migrateUnit(),
    "sabika-firewall.service": firewallUnit(),
    "sabika-firewall.path": firewallPath(),
    "sidecar.yaml": stringify(unitSidecar()),
  };
}

function serverUnit(description: string, name: string): string {
  const { SABIKA_BASE_URL: _, ...environment } = serverEnvironment(UNIT_PLAN, name);
  return programUnit(description, SERVER_PROGRAM, environment);
}

function programUnit(
  description: string,
  program: string,
  environment: Readonly<Record<string, string>>,
): string {
  return unit(description, [
    ...CONFINED,
    ...SERVICE,
    ["WorkingDirectory", BUILD],
    ...Object.entries(environment).map(([key, value]) =>
      ["Environment", `${key}=${value}`] as const
    ),
    ["EnvironmentFile", SITE],
    ["ExecStart", `${NODE} ${BUILD}/${builtProgram(program)}`],
  ]);
}

function officeUnit(): string {
  const { SABIKA_ADMIN_ORIGIN: _, ...environment } = officeEnvironment(UNIT_PLAN, UNIT_OFFICE);
  return programUnit("Sabika, the operator's office", OFFICE_PROGRAM, environment);
}

function sidecarUnit(): string {
  const settings = "/etc/sabika/sidecar.yaml";
  return unit("Sabika, Envoy with mutual TLS", [
    ...CONFINED,
    ...SERVICE,
    ["WorkingDirectory", BUILD],
    ["StateDirectory", "sabika/sidecar"],
    ["StateDirectoryMode", "0700"],
    [
      "ExecStartPre",
      `${NODE} ${BUILD}/packages/sidecar/main.js render --settings ${settings}`,
    ],
    [
      "ExecStart",
      `/usr/local/bin/envoy ${envoyArguments(`${PLACES.sidecar}/envoy.yaml`).join(" ")}`,
    ],
  ]);
}

/** Root makes the rules itself: a file of the sidecar's user could say anything about the firewall. */
function firewallUnit(): string {
  const settings = "/etc/sabika/sidecar.yaml";
  const make = `${NODE} ${BUILD}/packages/sidecar/main.js firewall --settings ${settings}`;
  const rights = "CAP_NET_ADMIN CAP_DAC_READ_SEARCH";
  const confined = CONFINED.filter(([name]) => !["User", "Group"].includes(name));
  return unit("Sabika, the firewall before the sidecar", [
    ["Type", "oneshot"],
    ...confined.map(([name, value]) =>
      name === "CapabilityBoundingSet"
        ? [name, rights] as const
        : name === "RestrictAddressFamilies"
        ? [name, `${value} AF_NETLINK`] as const
        : [name, value] as const
    ),
    ["WorkingDirectory", BUILD],
    ["ExecStart", `/bin/bash -o pipefail -c '${make} | /usr/sbin/nft -f -'`],
  ]);
}

/** Whenever the sidecar was handed other addresses. */
function firewallPath(): string {
  return [
    MADE,
    ...section("Unit", [
      ["Description", "Sabika, the addresses that the firewall's rules are made from"],
      ["Documentation", "file:///opt/sabika/docs/deployment.md"],
    ]),
    ...section("Path", [["PathChanged", `${PLACES.sidecar}/addresses.json`]]),
    ...section("Install", [["WantedBy", "multi-user.target"]]),
  ].join("\n");
}

function migrateUnit(): string {
  return unit("Sabika, the database brought to this release", [
    ["Type", "oneshot"],
    ...CONFINED,
    ["WorkingDirectory", BUILD],
    ["Environment", `SABIKA_OWNER_DATABASE_URL_FILE=${PLACES.root}/owner.url`],
    ["Environment", `SABIKA_MASTER_KEY_FILE=${PLACES.secrets}/master.key`],
    ["EnvironmentFile", SITE],
    ["ExecStart", `${NODE} ${BUILD}/packages/operator/main.js migrate --yes`],
  ], false);
}

const MADE = "# Made from packages/deployment/services.ts by " +
  "packages/deployment/units/render_units_main.ts: change it there.";

function section(name: string, entries: Section): string[] {
  return [`[${name}]`, ...entries.map(([key, value]) => `${key}=${value}`), ""];
}

function unit(description: string, service: Section, isWanted = true): string {
  return [
    MADE,
    ...section("Unit", [
      ["Description", description],
      ["Documentation", "file:///opt/sabika/docs/deployment.md"],
      ["After", "network-online.target"],
      ["Wants", "network-online.target"],
    ]),
    ...section("Service", service),
    ...(isWanted ? section("Install", [["WantedBy", "multi-user.target"]]) : []),
  ].join("\n");
}
