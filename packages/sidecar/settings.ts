import { isAbsolute } from "node:path";
import { parse } from "yaml";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { type HeaderNames, isPath, type Profile, type ProfileName, PROFILES } from "./profiles.ts";

/** The sidecar's settings; everything else is the same in every deployment. */
export interface SidecarSettings {
  /** The absolute path of the folder with its configuration, sets of secrets and list of instances. */
  folder: string;
  /** The folder of its admin socket, whose path may have 107 bytes. Default: `<folder>/run`. */
  socketFolder: string;
  /** What is in front of: Sabika, or any service (Decision D110). The six settings below default to it. */
  profile: ProfileName;
  /** The paths that are handed on; one that ends in `/*` means every path beneath. */
  paths: string[];
  /** Paths whose answers do not end by themselves; they have connections of their own. */
  streams: string[];
  methods: string[];
  /** The path at which an instance answers 200 when it is ready; without it, a connection is enough. */
  ready?: string;
  headers: HeaderNames;
  /** `/sandbox/fund` exists in the sandbox alone (Spec §4). */
  environment: "sandbox" | "production";
  /** The address that partners connect to, e.g. `0.0.0.0:8443`. Port 0: any free one. */
  listen: string;
  /** The host names that partners use (the Host header, without a port). */
  serverNames: string[];
  /** The service's instances; more may come and go later without a restart. */
  instances: Instance[];
  /** The address at which Prometheus and a probe read `/stats/prometheus` and `/ready`. */
  watch: string;
  /** Absolute paths of log files, or `stdout`. */
  accessLog: string;
  tlsLog: string;
  /** Spans are sent here by OTLP over HTTP, e.g. `127.0.0.1:4318`; without it there is no tracing. */
  traces?: string;
  limits: Limits;
}

/** One instance of the service, as the sidecar reaches it: `unix:/path` or `address:port`. */
export interface Instance {
  address: string;
  /** The address at which Envoy asks `GET /ready`; `address` by default. */
  watch?: string;
}

/** The settings of a file or a caller; all but `folder` and `serverNames` have a default. */
export type SettingsInput =
  & Partial<Omit<SidecarSettings, "limits" | "headers">>
  & Pick<SidecarSettings, "folder" | "serverNames">
  & { limits?: Partial<Limits>; headers?: Partial<HeaderNames> };

const DEFAULTS = {
  profile: "sabika",
  environment: "production",
  listen: "0.0.0.0:8443",
  instances: [],
  watch: "127.0.0.1:9902",
  accessLog: "stdout",
  tlsLog: "stdout",
} as const;

const KNOWN = `folder socketFolder profile paths streams methods ready headers environment listen
  serverNames instances watch accessLog tlsLog traces limits`.split(/\s+/);

/** Headers that Envoy or HTTP itself gives a meaning. */
const RESERVED =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|cookie|authorization|x-request-id|x-forwarded-proto|x-envoy-.*|x-sabika-absolute-target)$/;

/**
 * Fills in the defaults and checks the settings.
 *
 * @throws RangeError naming the member that is wrong
 */
export function completeSettings(written: SettingsInput): SidecarSettings {
  const { profile = DEFAULTS.profile, environment = DEFAULTS.environment } = written;
  check(Object.hasOwn(PROFILES, profile), "profile", Object.keys(PROFILES).join(" or "));
  check(["sandbox", "production"].includes(environment), "environment", "sandbox or production");
  const { paths, streams, methods, ready } = PROFILES[profile] as Profile;
  const settings = {
    ...DEFAULTS,
    streams,
    methods,
    ...(ready !== undefined && { ready }),
    ...written,
    paths: written.paths ?? paths(environment),
    headers: { ...PROFILES[profile].headers, ...written.headers },
    instances: written.instances ?? [],
    socketFolder: written.socketFolder ?? `${written.folder}/run`,
    limits: { ...DEFAULT_LIMITS, ...written.limits },
  };
  const { folder, socketFolder, serverNames, instances, limits } = settings;
  check(typeof folder === "string" && isAbsolute(folder), "folder", "an absolute path");
  const socketBytes = new TextEncoder().encode(`${socketFolder}/admin.sock`).length;
  const shortEnough = "short enough for a Unix socket (107 bytes with /admin.sock)";
  check(socketBytes <= 107, "socketFolder", shortEnough);
  checkService(settings);
  check(
    Array.isArray(serverNames) && serverNames.length > 0 &&
      serverNames.every((name) => /^[A-Za-z0-9.:[\]-]+$/.test(name)),
    "serverNames",
    "a list of host names",
  );
  for (const name of ["listen", "watch", "traces"] as const) {
    if (settings[name] !== undefined) check(isHostAndPort(settings[name]), name, "address:port");
  }
  for (const name of ["accessLog", "tlsLog"] as const) {
    const isLog = settings[name] === "stdout" || isAbsolute(settings[name]);
    check(isLog, name, "stdout or an absolute path");
  }
  check(Array.isArray(instances), "instances", "a list");
  for (const { address, watch = address } of instances) {
    check(isAddress(address), "instances.address", "unix:/path or address:port");
    check(isAddress(watch), "instances.watch", "unix:/path or address:port");
  }
  for (const [name, value] of Object.entries(limits)) {
    check(name in DEFAULT_LIMITS, `limits.${name}`, "a known limit");
    check(typeof value === "number" && value > 0, `limits.${name}`, "a number above 0");
  }
  return settings;
}

/**
 * Reads a settings file (YAML or JSON).
 *
 * @throws SyntaxError when it is not YAML, RangeError when a member is unknown, missing or wrong
 */
export function readSettings(text: string): SidecarSettings {
  let written: unknown;
  try {
    written = parse(text);
  } catch (error) {
    throw new SyntaxError((error as Error).message.split("\n")[0]);
  }
  check(typeof written === "object" && written !== null, "the file", "a list of settings");
  for (const name of Object.keys(written as object)) {
    check(KNOWN.includes(name), name, "a known setting");
  }
  return completeSettings(written as SettingsInput);
}

function checkService(
  { profile, paths, streams, methods, ready, headers }: Pick<
    SidecarSettings,
    "profile" | "paths" | "streams" | "methods" | "ready" | "headers"
  >,
): void {
  const aPath = "a path such as /health, without query and escapes of plain letters";
  check(
    Array.isArray(paths) && paths.length > 0 && paths.every(isPath),
    "paths",
    `${aPath}, or /v1/*`,
  );
  check(Array.isArray(streams) && streams.every(isExactPath), "streams", `a list: ${aPath}`);
  check(
    Array.isArray(methods) && methods.length > 0 &&
      methods.every((method) => /^[A-Z]{3,16}$/.test(method) && !NO_METHOD.includes(method)),
    "methods",
    "a list such as [GET, POST], without CONNECT and TRACE",
  );
  check(ready === undefined || isExactPath(ready), "ready", aPath);
  const names = Object.entries(headers);
  for (const [member, name] of names) {
    check(Object.hasOwn(PROFILES[profile].headers, member), `headers.${member}`, "a known header");
    const isName = typeof name === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
    check(isName && !RESERVED.test(name), `headers.${member}`, "a free name in lower case");
  }
  const different = new Set(names.map(([, name]) => name));
  check(different.size === names.length, "headers", "three different names");
}

const NO_METHOD: readonly string[] = ["CONNECT", "TRACE"];

function isExactPath(path: unknown): boolean {
  return isPath(path) && !path.endsWith("/*");
}

function check(holds: boolean, member: string, wanted: string): asserts holds {
  if (!holds) throw new RangeError(`${member} must be ${wanted}`);
}

function isHostAndPort(text: string): boolean {
  const [, port] = /^.+:(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

function isAddress(text: string): boolean {
  return /^unix:\/.{1,106}$/.test(text) || isHostAndPort(text);
}
