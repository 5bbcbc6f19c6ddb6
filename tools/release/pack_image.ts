/**
 * Packs the service's image without an engine, so that two packings have one digest: the layers of Node's
 * image, and one of our own whose times and owners are fixed. It has what the Dockerfile makes.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mustRun } from "../programs/run_program.ts";

/** The user that the service runs as. */
const USER = "10001";
/** The folders below `/var/lib/sabika` that others may search, and those for the user alone. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "0755": ["database-secret", "sidecar", "authority"],
  "0700": [
    "secrets",
    "administration",
    "root",
    "exporter",
    "partners",
    "revocations",
    "snapshots",
  ],
};
/** Marks of what the layers below have and this one takes away: npm and yarn, which nothing needs. */
const REMOVED = [
  "usr/local/lib/.wh.node_modules",
  ...["npm", "npx", "corepack", "yarn", "yarnpkg"].map((name) => `usr/local/bin/.wh.${name}`),
  "opt/.wh..wh..opq",
];
const START = "1970-01-01T00:00:00Z";
const OCI = "application/vnd.oci.image";

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { os: string; architecture: string };
}

/** An image as it is packed; `digest` is the manifest's, by which a registry knows it. */
export interface PackedImage {
  digest: string;
  baseDigest: string;
}

/**
 * Packs a build of the service on a base.
 *
 * @param base a folder with Node's image as an OCI layout, such as `skopeo copy docker://… oci:FOLDER` makes
 * @param built the folder of `npm run build`
 * @param archive the file to write, an OCI layout in one
 * @throws Error if the base is something else, or not what its digests say
 */
export async function packImage(
  base: string,
  built: string,
  archive: string,
  { version, architecture }: { version: string; architecture: string },
): Promise<PackedImage> {
  const work = await mkdtemp(join(tmpdir(), "sabika-image-"));
  try {
    const found = await findManifest(base, architecture);
    const manifest = await readJson(base, found);
    const config = await readJson(base, manifest.config);
    const layout = join(work, "layout");
    await mkdir(join(layout, "blobs", "sha256"), { recursive: true });
    const store = async (mediaType: string, bytes: Uint8Array): Promise<Descriptor> => {
      const digest = digestOf(bytes);
      await writeFile(blob(layout, digest), bytes);
      return { mediaType, digest, size: bytes.length };
    };
    for (const layer of manifest.layers) {
      await writeFile(blob(layout, layer.digest), await readBlob(base, layer));
    }
    const tar = await makeLayer(work, base, manifest.layers, built);
    const diffId = digestOf(await readFile(tar));
    await mustRun("gzip", ["-n9", tar]);
    const layer = await store(`${OCI}.layer.v1.tar+gzip`, await readFile(`${tar}.gz`));
    const ofImage = await store(
      `${OCI}.config.v1+json`,
      json({
        ...config,
        created: START,
        config: {
          ...config.config,
          User: `${USER}:${USER}`,
          WorkingDir: "/app",
          Env: [...config.config?.Env ?? [], "NODE_ENV=production"],
          Cmd: ["node", "packages/server/main.js"],
          Labels: {
            "org.opencontainers.image.base.digest": found.digest,
            "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.version": version,
          },
        },
        rootfs: { type: "layers", diff_ids: [...config.rootfs.diff_ids, diffId] },
        history: [...config.history ?? [], { created: START, created_by: "npm run release" }],
      }),
    );
    const mediaType = `${OCI}.manifest.v1+json`;
    const layers = [...manifest.layers, layer];
    const whole = await store(
      mediaType,
      json({ schemaVersion: 2, mediaType, config: ofImage, layers }),
    );
    const platform = { os: "linux", architecture };
    const annotations = { "org.opencontainers.image.ref.name": version };
    const index = { schemaVersion: 2, manifests: [{ ...whole, platform, annotations }] };
    await writeFile(join(layout, "index.json"), json(index));
    // As engines before Docker 25 load it.
    const file = ({ digest }: Descriptor) => `blobs/${digest.replace(":", "/")}`;
    const docker = [{
      Config: file(ofImage),
      RepoTags: [`sabika:${version}`],
      Layers: layers.map(file),
    }];
    await writeFile(join(layout, "manifest.json"), json(docker));
    await writeFile(join(layout, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
    await mustRun("tar", [
      "-cf",
      archive,
      ...SAME,
      ...owner("0", "u=rwX,go=rX"),
      "-C",
      layout,
      ".",
    ]);
    return { digest: whole.digest, baseDigest: found.digest };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Whatever machine packs them: the same files always give the same bytes. */
const SAME = ["--sort=name", "--mtime=@0", "--numeric-owner", "--format=gnu"];
const owner = (id: string, mode: string) => [`--owner=${id}`, `--group=${id}`, `--mode=${mode}`];

/** @returns the path of the layer's tar */
async function makeLayer(
  work: string,
  base: string,
  layers: readonly Descriptor[],
  built: string,
): Promise<string> {
  const root = join(work, "root");
  await mkdir(root);
  await cp(built, join(root, "app"), { recursive: true });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const path of REMOVED) await write(path, "");
  const entry = `sabika:x:${USER}:`;
  const passwd = await readFrom(base, layers, "etc/passwd");
  await write("etc/passwd", `${passwd}${entry}${USER}::/:/sbin/nologin\n`);
  await write("etc/group", `${await readFrom(base, layers, "etc/group")}${entry}\n`);
  const tar = join(work, "layer.tar");
  const names = ["app", "etc", "opt", "usr"];
  await mustRun("tar", ["-cf", tar, ...SAME, ...owner("0", "u=rwX,go=rX"), "-C", root, ...names]);
  for (const [mode, folders] of Object.entries(FOLDERS)) {
    const paths = [...folders].sort().map((name) => `var/lib/sabika/${name}`);
    for (const path of paths) await mkdir(join(root, path), { recursive: true });
    await mustRun("tar", ["-rf", tar, ...SAME, ...owner(USER, mode), "-C", root, ...paths]);
  }
  return tar;
}

/** Reads a file of the base, from the topmost layer that has it. */
async function readFrom(
  base: string,
  layers: readonly Descriptor[],
  path: string,
): Promise<string> {
  for (const { digest } of [...layers].reverse()) {
    const text = await mustRun("tar", ["-xOf", blob(base, digest), path]).catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new Error(`the base has no /${path}`);
}

/** Finds the manifest for the architecture, also in an index of several. */
async function findManifest(base: string, architecture: string): Promise<Descriptor> {
  const index = await readFile(join(base, "index.json"), "utf8").catch(() => {
    throw new Error(`${base} has no index.json: give a folder with Node's image as an OCI layout`);
  });
  let manifests: Descriptor[] = JSON.parse(index).manifests;
  for (let depth = 0; depth < 3; depth++) {
    const found = manifests.find(({ platform }) => platform?.architecture === architecture) ??
      (manifests.length === 1 ? manifests[0] : undefined);
    if (found === undefined) break;
    if (found.mediaType === `${OCI}.manifest.v1+json`) return found;
    if (found.mediaType !== `${OCI}.index.v1+json`) break;
    manifests = (await readJson(base, found)).manifests;
  }
  throw new Error(`${base} has no OCI image for ${architecture}`);
}

// deno-lint-ignore no-explicit-any
async function readJson(base: string, descriptor: Descriptor): Promise<any> {
  return JSON.parse((await readBlob(base, descriptor)).toString());
}

async function readBlob(base: string, { digest }: Descriptor) {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`the base names ${digest}`);
  const bytes = await readFile(blob(base, digest));
  if (digestOf(bytes) !== digest) throw new Error(`the base's ${digest} has other bytes`);
  return bytes;
}

function blob(layout: string, digest: string): string {
  return join(layout, "blobs", "sha256", digest.slice("sha256:".length));
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
