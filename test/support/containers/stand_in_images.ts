/** Images that replace those of a registry, for an engine that cannot reach one. */
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cacheFolder, fetchOnce } from "../../../tools/programs/cache_folder.ts";
import { type DockerEngine, startDockerEngine } from "../../../tools/programs/docker_engine.ts";
import {
  fetchDebianPackages,
  fetchNode,
  installNpmPackages,
} from "../../../tools/programs/fetch_packages.ts";
import { onPath } from "../../../tools/programs/on_path.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { addProgram, makeRootFolder } from "./root_folder.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { commandLine } from "../../../tools/programs/command_line.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NPM = "npm@11.6.2";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Makes an image of the file system that `fill` puts together; returns its digest. */
export async function importImage(
  engine: DockerEngine,
  name: string,
  fill: (root: string) => Promise<void>,
  changes: readonly string[] = [],
): Promise<string> {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  await makeRootFolder(root, await findBusyBox());
  await fill(root);
  const archive = join(folder, "image.tar");
  await mustRun(
    "tar",
    commandLine`--create --file ${archive} --directory ${root} --sort=name --mtime=@0
      --numeric-owner .`,
  );
  const changeOptions = [`ENV ${PATH}`, ...changes].flatMap((change) => ["--change", change]);
  return (await engine.docker("import", ...changeOptions, archive, name)).trim();
}

/** The parts of the image of Node. */
export type NodeParts = Awaited<ReturnType<typeof fetchNodeParts>>;

/**
 * Starts Docker's engine and fetches, once, the parts of base images.
 *
 * @param more fetches further parts that a test needs
 * @throws Error with the reason when something cannot be fetched; tests are then skipped
 */
export async function startEngineWith<T>(more: () => Promise<T>) {
  const engine = await startDockerEngine();
  try {
    return { engine, node: await fetchNodeParts(), more: await more() };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function fetchNodeParts() {
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const [name, version] = /(?<=^ARG NODE_IMAGE=)node:(\d+\.\d+\.\d+)\S*/m.exec(dockerfile)!;
  await findBusyBox();
  const node = await fetchNode(version!);
  const npm = await fetchOnce(
    join(cacheFolder(), NPM.replace("@", "-")),
    (part) => installNpmPackages(part, [NPM]),
  );
  return { name, node, npm };
}

/** Imports Node's image in the version that the Dockerfile names: `node`, `npm` and a shell. */
export async function importNode(
  engine: DockerEngine,
  { name, node, npm }: NodeParts,
): Promise<string> {
  return await importImage(engine, name, async (root) => {
    await addProgram(root, node, "/usr/local/bin/node");
    const modules = join(root, "usr/local/lib/node_modules");
    await mkdir(modules, { recursive: true });
    await cp(join(npm, "node_modules", "npm"), join(modules, "npm"), { recursive: true });
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
    // A company's proxy may use its own certification authority.
    await mkdir(join(root, "etc/ssl/certs"), { recursive: true });
    await cp(AUTHORITIES, join(root, AUTHORITIES), { dereference: true });
    await mkdir(join(root, "usr/local/etc"));
    await writeFile(join(root, "usr/local/etc/npmrc"), `cafile=${AUTHORITIES}\n`);
  });
}

/** Builds the service's image from its Dockerfile, as a release does; returns its digest. */
export async function buildOwnImage(
  engine: DockerEngine,
  base: string,
  name: string,
): Promise<string> {
  // Without a value, Docker's client takes it from its environment.
  const proxies = ["http_proxy", "https_proxy", "no_proxy"].filter((name) => name in process.env);
  await engine.docker(
    ...commandLine`build --quiet --network host --tag ${name} --build-arg NODE_IMAGE=${base}
      ${proxies.flatMap((name) => ["--build-arg", name])}`,
    ROOT,
  );
  return (await engine.docker("image", "inspect", "--format", "{{.Id}}", name)).trim();
}

async function findBusyBox(): Promise<string> {
  const installed = onPath("busybox");
  if (installed !== undefined) return installed;
  const folder = await fetchDebianPackages("busybox-static", { needed: false });
  return join(folder, "bin", "busybox");
}
