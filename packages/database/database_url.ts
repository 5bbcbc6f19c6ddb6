import { isLoopbackHost } from "@sabika/network";

/** A PostgreSQL server that a URL names. */
export interface DatabaseServer {
  /** A host name, or the folder of a Unix socket. */
  host: string;
  port: number;
}

/** The content of a database URL. TLS verifies the server's certificate with `verify-full` alone. */
export interface DatabaseTarget {
  /** In the URL's order; several are a primary and its standbys. */
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  /** Whether connections go to whichever of the servers takes writes, and to no other. */
  followsPrimary: boolean;
  database: string;
  user: string;
  password: string | undefined;
  ssl: "require" | "prefer" | "verify-full" | false;
  /** The PEM file of the trusted authorities; undefined for the runtime's own. */
  rootCertificateFile: string | undefined;
  kind: "postgresql" | "pglite";
  /** The schema of its tables and functions. */
  schema: string;
}

/** The schema of a database whose URL names no other. */
export const PUBLIC_SCHEMA = "public";

/** The database name in URLs of embedded databases, which `startEmbedded` returns. */
export const EMBEDDED_DATABASE_NAME = "pglite";

/**
 * Reads `postgres://user:password@host:port/name?sslmode=…&sslrootcert=…`, and libpq's form for Unix sockets,
 * `postgres://user@/name?host=/folder&port=5432`, which the platform's URL refuses. A primary with its
 * standbys is `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`, as in libpq.
 * `options=-csearch_path%3DNAME` names the schema (Decision D53).
 *
 * @throws TypeError when it is not such a URL or requires what Sabika does not support, URIError when its
 * percent-encoding is malformed; no message quotes the URL
 */
export function readDatabaseUrl(url: string): DatabaseTarget {
  const match =
    /^postgres(?:ql)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/
      .exec(url);
  if (!match) throw new TypeError("not a postgres:// URL");
  const [, user, password, authority = "", name, query] = match;
  const parameters = new URLSearchParams(query ?? "");
  const servers = readServers(authority, parameters.get("host"), parameters.get("port"));
  const rootCertificateFile = parameters.get("sslrootcert")?.replace(/^system$/, "") || undefined;
  const database = decodeURIComponent(name || user || "postgres");
  const embedded = servers[0].host.startsWith("/") && database === EMBEDDED_DATABASE_NAME;
  return {
    servers,
    followsPrimary: readFollowsPrimary(parameters.get("target_session_attrs"), servers.length),
    database,
    user: decodeURIComponent(user || "postgres"),
    password: password === undefined ? undefined : decodeURIComponent(password),
    ssl: readSslMode(parameters.get("sslmode"), rootCertificateFile !== undefined),
    rootCertificateFile,
    kind: embedded ? "pglite" : "postgresql",
    schema: readSchema(parameters.get("options")),
  };
}

/** Whether nobody between here and the servers can read the traffic or impersonate them. */
export function isPrivateLink({ servers, ssl }: Pick<DatabaseTarget, "servers" | "ssl">): boolean {
  return ssl === "verify-full" ||
    servers.every(({ host }) => host.startsWith("/") || isLoopbackHost(host));
}

/** Returns the hosts of a database, separated by commas, as text for people. */
export function hostsOf({ servers }: Pick<DatabaseTarget, "servers">): string {
  return servers.map(({ host }) => host).join(", ");
}

/** Reads the lists of hosts and ports, which match by position; a single port is for all hosts. */
function readServers(
  authority: string,
  hostList: string | null,
  portList: string | null,
): DatabaseTarget["servers"] {
  const places = authority.split(",").map((place) => {
    const match = /^(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/.exec(place);
    if (!match) throw new TypeError("not a host and port in the postgres:// URL");
    return { host: decodeURIComponent(match[1]!), port: match[2] };
  });
  const hosts = hostList?.split(",") ?? places.map(({ host }) => host);
  const ports = portList?.split(",") ?? places.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new TypeError("not as many ports as hosts in the postgres:// URL");
  }
  const [first, ...others] = hosts.map((host, index) => ({
    host: (host || "localhost").replace(/^\[|\]$/g, ""),
    port: Number((ports.length === 1 ? ports[0] : ports[index]) || 5432),
  }));
  return [first!, ...others];
}

function readFollowsPrimary(wanted: string | null, servers: number): boolean {
  if (wanted === "read-write" || wanted === "primary") return true;
  if (wanted !== null && wanted !== "any") {
    throw new TypeError(
      "target_session_attrs must be read-write: nothing here works on a standby",
    );
  }
  if (servers === 1) return false;
  throw new TypeError("several hosts in the postgres:// URL need target_session_attrs=read-write");
}

/** Reads the schema from the server's options, which must contain nothing else. */
function readSchema(options: string | null): string {
  if (options === null || !options.includes("search_path")) return PUBLIC_SCHEMA;
  const [, schema] = /^-c *search_path=([a-z][a-z0-9_]{0,62})$/.exec(options.trim()) ?? [];
  if (schema === undefined || schema.startsWith("pg_")) {
    throw new TypeError("the options in the postgres:// URL are not -csearch_path=NAME");
  }
  return schema;
}

/** With an authority, `require` verifies the certificate, as in libpq. */
function readSslMode(mode: string | null, hasAuthority: boolean): DatabaseTarget["ssl"] {
  if (mode === null || mode === "disable") return false;
  if (mode === "allow" || mode === "prefer") return "prefer";
  if (mode === "require" && !hasAuthority) return "require";
  return "verify-full";
}
