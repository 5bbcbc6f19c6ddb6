import { buildRouteMap } from "@stricli/core";
import { whyNotPrivate, writePrivateFile } from "@sabika/identity/keys";
import type { AuthorityInForce } from "@sabika/service/deployment";
import { AUTHORITIES, THE_DEPLOYMENT } from "@sabika/office/reads";
import { confirm } from "../command/ask.ts";
import { listed } from "../command/columns.ts";
import { command, neededFlag, type Shown, textFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { readAll, readOne } from "../reads/read.ts";
import { must, RefusedError } from "../outcome.ts";

interface RootFlags {
  root: string;
}

const ROOT_FLAG = {
  root: neededFlag(text, "The root's own file: certificate and private key, PEM", "FILE", {
    question: "In which file is the root?",
    otherwise: "say where the root is: --root FILE",
  }),
};
const OUT_FLAG = { out: textFlag("Where it goes (shown when left out)", "FILE") };

async function openRoot(flags: RootFlags) {
  const file = flags.root;
  const text = await readTextFile(file, "the root");
  const reason = await whyNotPrivate(file);
  if (reason !== undefined) throw new RefusedError("file_not_private", reason);
  const { readRoot } = await import("@sabika/identity/certificates");
  try {
    return await readRoot(text);
  } catch (error) {
    throw new RefusedError("invalid_root", (error as Error).message);
  }
}

async function written(out: string | undefined, name: string, pem: string): Promise<Shown> {
  if (out === undefined) return { json: { file: null, pem }, text: pem };
  await writePrivateFile(out, pem);
  return { json: { file: out }, text: `${name} is in ${out}\n` };
}

function shown(inForce: readonly AuthorityInForce[]): Shown {
  return listed(AUTHORITIES, inForce);
}

const create = command<RootFlags, []>({
  brief: "Make a root authority in a file of its own; no database is needed",
  more:
    "The file holds the root's certificate and private key (mode 0600). Make it where it stays,\n" +
    "on a machine or a medium that is connected to nothing, and keep a copy of it apart.",
  examples: ["authority create --environment production --root root.key"],
  flags: ROOT_FLAG,
  async run(session, flags) {
    const { createRoot, rootFile } = await import("@sabika/identity/certificates");
    const file = flags.root;
    const place = rootFile(file);
    if (await place.read() !== undefined) {
      throw new RefusedError("already_exists", `${file} is there already: it may hold a root`);
    }
    const environment = session.namedEnvironment();
    const { random } = session.surroundings;
    await place.write(await createRoot({ environment, nowMs: session.nowMs, random }));
    return { json: { environment, file }, text: `the root of ${environment} is in ${file}\n` };
  },
});

const request = command<{ out?: string }, []>({
  brief: "Make the request with which the root certifies the issuing authority",
  more:
    "The first one makes the issuing authority's key, which stays here; later ones are for the\n" +
    "same key, to renew its certificate before its 10 years end.",
  examples: ["authority request --out issuing.csr"],
  flags: OUT_FLAG,
  async run(session, { out }) {
    const { requestIssuingCertificate } = await import("@sabika/service/deployment");
    const { request } = await session.actWith(
      await (await session.atDatabase()).secretsContext(),
      ["authority.request", {}],
      requestIssuingCertificate,
    );
    return await written(out, "the request", request);
  },
});

const issue = command<RootFlags & { out?: string }, [string | undefined]>({
  brief: "Certify the issuing authority with the root, and sign the root's revocation list",
  more: "With a REQUEST no database is needed: carry it to the root, and the result back to\n" +
    "`authority install`. Without one, where root and database are both at hand, it requests,\n" +
    "certifies and installs in one.",
  examples: [
    "authority issue issuing.csr --root root.key --out issuing.pem",
    "authority issue --root root.key",
  ],
  flags: { ...ROOT_FLAG, ...OUT_FLAG },
  args: [["REQUEST?", "What `authority request` made, PEM"]],
  async run(session, flags, file) {
    const { certifyIssuing } = await import("@sabika/identity/certificates");
    const { issueWithRoot } = await import("@sabika/service/deployment");
    const root = await openRoot(flags);
    if (file === undefined) {
      const admin = await (await session.atDatabase()).secretsContext();
      const act = ["authority.install", {}] as const;
      return shown(await session.actWith(admin, act, (admin) => issueWithRoot(admin, root)));
    }
    const { nowMs, surroundings: { random } } = session;
    const text = await readTextFile(file, "the request");
    const signed = must(await certifyIssuing(root, text, { nowMs, random }));
    return await written(flags.out, "what the root signed", signed);
  },
});

const install = command<object, [string]>({
  brief: "Put what the root signed in force: issuing authority, root, root's revocation list",
  more:
    "Compare the root's SHA-256 with what the root's keeper says. Start the sidecar's keeper\n" +
    "again afterwards, so that it hands over the new certificates.",
  examples: ["authority install issuing.pem"],
  args: [["FILE", "What `authority issue` wrote, PEM"]],
  async run(session, _flags, file) {
    const { installIssuingCertificate } = await import("@sabika/service/deployment");
    const admin = await (await session.atDatabase()).secretsContext();
    const pem = await readTextFile(file, "what the root signed");
    const act = ["authority.install", { pem }] as const;
    return shown(
      await session.actWith(admin, act, (admin) => installIssuingCertificate(admin, pem)),
    );
  },
});

const exportRoot = command<RootFlags, []>({
  brief: "Move the root's private key out of a database of 1.0.0 to its own file",
  more:
    "It is forgotten in the database as soon as it was read again from the file. Backups of the\n" +
    "database have it still: keep them as you keep the file, or destroy them.",
  examples: ["authority export --root root.key"],
  flags: ROOT_FLAG,
  async run(session, flags) {
    const { moveRoot } = await import("@sabika/service/deployment");
    const { rootFile } = await import("@sabika/identity/certificates");
    const file = flags.root;
    await confirm(session, `Move the root's private key to ${file}?`);
    const admin = await (await session.atDatabase()).secretsContext();
    const act = ["authority.export", {}] as const;
    const moved = await session.actWith(admin, act, (admin) => moveRoot(admin, rootFile(file)));
    return {
      json: { moved, file: moved ? file : null },
      text: moved ? `the root is in ${file}, and in the database no more\n` : "it has none\n",
    };
  },
});

const show = command<object, []>({
  brief: "Show the authorities in force, and whether the database has the root's private key",
  examples: ["authority show"],
  async run(session) {
    const { json, text } = shown(await readAll(session, AUTHORITIES));
    const { rootKeyInDatabase: rootKey } = await readOne(session, THE_DEPLOYMENT);
    return {
      json: { authorities: json, root_key_in_database: rootKey },
      text: rootKey
        ? `${text}the root's private key is in the database: move it with \`sabika authority export\`\n`
        : text,
    };
  },
});

/** `sabika authority …` */
export const authority = buildRouteMap({
  docs: { brief: "Make the root, certify and renew the issuing authority" },
  routes: { create, request, issue, install, export: exportRoot, show },
});
