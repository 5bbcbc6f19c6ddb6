/** The sandbox's permissions on Deno, as options of `deno run`. */
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./setup.mjs";

/**
 * Returns the least permissions for `npm start` with these arguments: it starts no program, loads no library
 * and writes only to its data folder and the temporary folder (for a socket whose path is too long).
 *
 * @param {readonly string[]} args
 * @returns {string[]}
 */
export function sandboxPermissions(args) {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      data: { type: "string", default: ".sabika" },
      "database-url": { type: "string" },
      "webhook-ca": { type: "string" },
    },
  });
  const database = filesOf(values["database-url"]);
  const written = [values.data, tmpdir(), ...database.sockets];
  const read = [ROOT, ...written, values["webhook-ca"], ...database.certificates];
  return [
    "--no-prompt",
    allow("read", read),
    allow("write", written),
    // Partners' webhooks go to any host.
    "--allow-net",
    // Deno reads the NODE_* variables before each TLS connection if NODE_EXTRA_CA_CERTS is set.
    "--allow-env=PG*,TMPDIR,TMP,TEMP,NODE_EXTRA_CA_CERTS,NODE_USE_SYSTEM_CA",
    // For the system's certificates: Deno requires the permission "ca", but does not accept that name.
    "--allow-sys",
  ];
}

/** Returns the files that a database URL names: the folder of its Unix socket, the authority's certificate. */
function filesOf(url) {
  // Not parsed as a URL: for a Unix socket it has a user but no host, which URL refuses.
  const parameters = new URLSearchParams(String(url ?? "").replace(/^[^?]*\??/, ""));
  return {
    sockets: parameters.getAll("host").filter((host) => host.startsWith("/")),
    certificates: parameters.getAll("sslrootcert").filter((file) => file !== "system"),
  };
}

/** Makes Deno's option for these paths; for all paths if one has a comma, which separates paths. */
function allow(access, paths) {
  const absolute = paths.filter((path) => typeof path === "string" && path !== "")
    .map((path) => resolve(path));
  const isListable = !absolute.some((path) => path.includes(","));
  return isListable ? `--allow-${access}=${absolute.join(",")}` : `--allow-${access}`;
}
