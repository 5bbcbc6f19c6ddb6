import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun } from "../../tools/programs/run_program.ts";

/** Makes a small OCI layout in the place of Node's image; returns its manifest's digest. */
export async function makeBase(folder: string): Promise<string> {
  const blobs = join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  const store = async (bytes: Uint8Array) => {
    const hex = createHash("sha256").update(bytes).digest("hex");
    await writeFile(join(blobs, hex), bytes);
    return { digest: `sha256:${hex}`, size: bytes.length };
  };
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const files = {
    "etc/passwd": "root:x:0:0::/:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "usr/local/bin/npm": "",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, "root", path)), { recursive: true });
    await writeFile(join(folder, "root", path), text);
  }
  const tar = join(folder, "layer.tar");
  await mustRun("tar", ["-cf", tar, "-C", join(folder, "root"), "etc", "usr"]);
  const diffId = (await store(await readFile(tar))).digest;
  await mustRun("gzip", ["-n", tar]);
  const oci = "application/vnd.oci.image";
  const layer = await store(await readFile(`${tar}.gz`));
  const config = await store(json({
    architecture: "amd64",
    os: "linux",
    config: { Env: ["PATH=/usr/local/bin:/usr/bin:/bin"], Entrypoint: ["docker-entrypoint.sh"] },
    rootfs: { type: "layers", diff_ids: [diffId] },
  }));
  const manifest = await store(json({
    schemaVersion: 2,
    config: { mediaType: `${oci}.config.v1+json`, ...config },
    layers: [{ mediaType: `${oci}.layer.v1.tar+gzip`, ...layer }],
  }));
  const platform = { os: "linux", architecture: "amd64" };
  const inner = await store(json({
    schemaVersion: 2,
    manifests: [{ mediaType: `${oci}.manifest.v1+json`, ...manifest, platform }],
  }));
  const manifests = [{ mediaType: `${oci}.index.v1+json`, ...inner }];
  await writeFile(join(folder, "index.json"), json({ schemaVersion: 2, manifests }));
  return manifest.digest;
}
