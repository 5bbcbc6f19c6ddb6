/** The sandbox's permissions on Deno, as options of `deno run`. */
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./setup.mjs";

/**
 * The least that `npm start` with these arguments needs: it starts no program, loads no library and
 * writes only into its data folder and the temporary one (a socket whose path would be too long).
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
    // Of these, Deno reads NODE_* before each TLS connection where the first of them is set.
    "--allow-env=PG*,TMPDIR,TMP,TEMP,NODE_EXTRA_CA_CERTS,NODE_USE_SYSTEM_CA",
    // For the certificates that webhooks are verified by: Deno asks for "ca", and takes no such name here.
    "--allow-sys",
  ];
}

/** The files that a database URL names: the folder of its Unix socket, the authority's certificate. */
function filesOf(url) {
  // Not read as a URL: that of a Unix socket has no host, which a URL must have beside a user.
  const parameters = new URLSearchParams(String(url ?? "").replace(/^[^?]*\??/, ""));
  return {
    sockets: parameters.getAll("host").filter((host) => host.startsWith("/")),
    certificates: parameters.getAll("sslrootcert").filter((file) => file !== "system"),
  };
}

/** Deno's option for these paths; for all paths where one has a comma, which its lists cannot hold. */
function allow(access, paths) {
  const absolute = paths.filter((path) => typeof path === "string" && path !== "")
    .map((path) => resolve(path));
  const isListable = !absolute.some((path) => path.includes(","));
  return isListable ? `--allow-${access}=${absolute.join(",")}` : `--allow-${access}`;
}
