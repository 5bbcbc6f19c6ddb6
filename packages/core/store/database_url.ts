import { isLoopbackHost } from "../network/loopback_host.ts";

/** Where a database URL leads. */
export interface DatabaseTarget {
  /** A host name, or the folder of a Unix socket. */
  host: string;
  port: number;
  database: string;
  user: string;
  password: string | undefined;
  ssl: "require" | "prefer" | "verify-full" | false;
  /** PEM of the authorities that are believed; undefined: the runtime's own. */
  rootCertificateFile: string | undefined;
  kind: "postgresql" | "pglite";
}

/** The database name by which an embedded database is known (`startEmbedded` gives such URLs). */
export const EMBEDDED_DATABASE_NAME = "pglite";

/**
 * Reads `postgres://user:password@host:port/name?sslmode=…&sslrootcert=…`, and libpq's form for Unix sockets,
 * `postgres://user@/name?host=/folder&port=5432`, which the platform's URL refuses.
 *
 * @throws TypeError when it is not such a URL; the message does not repeat it.
 */
export function readDatabaseUrl(url: string): DatabaseTarget {
  const match =
    /^postgres(?:ql)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/
      .exec(url);
  if (!match) throw new TypeError("not a postgres:// URL");
  const [, user, password, authority = "", name, query] = match;
  const parameters = new URLSearchParams(query ?? "");
  const hostPort = /^(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/.exec(authority);
  if (!hostPort) throw new TypeError("not a host and port in the postgres:// URL");
  const host = parameters.get("host") ?? decodeURIComponent(hostPort[1] || "localhost");
  const rootCertificateFile = parameters.get("sslrootcert")?.replace(/^system$/, "") || undefined;
  const database = decodeURIComponent(name || user || "postgres");
  const embedded = host.startsWith("/") && database === EMBEDDED_DATABASE_NAME;
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(parameters.get("port") ?? hostPort[2] ?? 5432),
    database,
    user: decodeURIComponent(user || "postgres"),
    password: password === undefined ? undefined : decodeURIComponent(password),
    ssl: readSslMode(parameters.get("sslmode"), rootCertificateFile !== undefined),
    rootCertificateFile,
    kind: embedded ? "pglite" : "postgresql",
  };
}

/** Whether nobody on the way to a database can read along, or answer in its place. */
export function isPrivateWay({ host, ssl }: Pick<DatabaseTarget, "host" | "ssl">): boolean {
  return host.startsWith("/") || isLoopbackHost(host) || ssl === "verify-full";
}

/** Who names an authority wants it looked at: `require` does then, as with libpq. */
function readSslMode(mode: string | null, hasAuthority: boolean): DatabaseTarget["ssl"] {
  if (mode === null || mode === "disable") return false;
  if (mode === "allow" || mode === "prefer") return "prefer";
  if (mode === "require" && !hasAuthority) return "require";
  return "verify-full";
}
