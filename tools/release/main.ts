/** `npm run release`: builds, checks and publishes the packages for partners, see help.txt. */
import { createHash, createPrivateKey, sign } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { mustRun, runProgram } from "../programs/run_program.ts";
import { repositoryFiles, ROOT } from "../rules/repository_files.ts";
import { ensureDeno } from "../setup.mjs";
import { buildService } from "../build/build_service.ts";
import { readComponents } from "../build/outside_packages.ts";
import { sbomOf } from "../build/sbom.ts";
import { checkVersions } from "./check_versions.ts";
import { leastVersion, type SurfaceRecord } from "./public_surface.ts";
import { provenanceOf } from "./provenance.ts";
import { packImage } from "./pack_image.ts";
import { packSidecar } from "./pack_sidecar.ts";
import { publishedManifest } from "./published_manifest.ts";
import { PUBLISHED, stagePackages } from "./stage_packages.ts";

const STATES_A_VERSION =
  /^(package|(packages|loadtest)\/(\w+\/)?(package|deno))\.json$|^clients\/python\/pyproject\.toml$|^clients\/java\/pom\.xml$|^packages\/(client|terms\/settings)\/version\.ts$/;

const report = (line: string) => process.stdout.write(`${line}\n`);
const npm = (...args: string[]) => mustRun("npm", [...args, "--loglevel=error"], { cwd: ROOT });

interface Options {
  out: string;
  isDryRun: boolean;
  /** The file of the key that signs. */
  sign?: string | undefined;
  /** The folder of the image's base; without it no image is packed. */
  base?: string | undefined;
}

async function main({ out: folder, isDryRun, sign: keyFile, base }: Options): Promise<void> {
  const startedMs = Date.now();
  const key = keyFile === undefined ? undefined : createPrivateKey(await readFile(keyFile, "utf8"));
  if (key === undefined && !isDryRun) throw new Error("a release is signed: give --sign KEY");
  const files = (await repositoryFiles()).filter(({ path }) => STATES_A_VERSION.test(path));
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  const { version, problems } = checkVersions(changelog, files, { isDryRun });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  report(`version ${version}, as ${files.length} files and CHANGELOG.md say`);
  await checkSurface(version, isDryRun);

  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await npm("pack", "-w", "packages/client", "--pack-destination", folder);
  const tarball = join(folder, `sabika-client-${version}.tgz`);
  report(`built ${relative(process.cwd(), tarball)}`);

  await writeFile(join(folder, "sabika-client.cdx.json"), await clientSbom(version));
  const sidecar = await packSidecar(folder);
  report(`built ${relative(process.cwd(), sidecar)}`);
  const image = await packService(folder, { version, base });
  report("built the service, and wrote what all consist of (CycloneDX)");
  if (image !== undefined) report(`packed its image ${image.digest} on ${image.baseDigest}`);
  const sums = await checksums(folder);
  await writeFile(join(folder, "SHA256SUMS"), sums);
  const statement = provenanceOf(sums, await sourceOf(startedMs));
  await writeFile(join(folder, "provenance.json"), `${JSON.stringify(statement, null, 2)}\n`);
  report("wrote SHA256SUMS, and in provenance.json what they were made from");
  if (key !== undefined) {
    for (const name of ["SHA256SUMS", "provenance.json"]) {
      await writeFile(
        join(folder, `${name}.sig`),
        sign("sha256", await readFile(join(folder, name)), key),
      );
    }
    report("signed both");
  }

  await publishSources(isDryRun);
  if (!isDryRun) {
    await npm("publish", tarball);
    await npm("publish", sidecar);
  }
  report(isDryRun ? "dry run: nothing was published" : `published ${version}`);
}

/** A release has the public surface that is recorded of it; between two, the next one's version is shown. */
async function checkSurface(version: string, isDryRun: boolean): Promise<void> {
  const file = join(ROOT, "docs", "public_surface.json");
  const record = JSON.parse(await readFile(file, "utf8")) as SurfaceRecord;
  const changes = record.added.length + record.removed.length;
  const isOfRelease = record.version === version && changes === 0 && !("nextAtLeast" in record);
  const line = isOfRelease
    ? `the public surface is that of ${version}, as recorded`
    : `${changes} changes of the public surface of ${record.version} are recorded: the next release ` +
      `is at least ${leastVersion(record)}`;
  if (!isOfRelease && (!isDryRun || record.version !== version)) throw new Error(line);
  report(line);
}

/** Packs the service as built by `npm run build`, its image, and its list of components in a separate file. */
async function packService(
  folder: string,
  { version, base }: { version: string; base: string | undefined },
) {
  const name = `sabika-${version}`;
  const built = await mkdtemp(join(tmpdir(), "sabika-release-"));
  try {
    await buildService(join(built, name));
    await copyFile(join(built, name, "sbom.cdx.json"), join(folder, "sabika.cdx.json"));
    // The same files always give the same bytes.
    const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    await mustRun("tar", ["-C", built, ...same, "-cf", join(built, "tar"), name]);
    await mustRun("gzip", ["-n9", join(built, "tar")]);
    await copyFile(join(built, "tar.gz"), join(folder, `${name}.tar.gz`));
    if (base === undefined) return undefined;
    const architecture = process.arch === "x64" ? "amd64" : process.arch;
    const archive = join(folder, `${name}.oci.tar`);
    return await packImage(base, join(built, name), archive, { version, architecture });
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

async function sourceOf(startedMs: number) {
  const git = ["-C", ROOT, "-c", `safe.directory=${ROOT}`];
  const lock = await readFile(join(ROOT, "package-lock.json"));
  return {
    repository: "sabika",
    commit: (await mustRun("git", [...git, "rev-parse", "HEAD"])).trim(),
    lockSha256: createHash("sha256").update(lock).digest("hex"),
    node: process.versions.node,
    startedMs,
    finishedMs: Date.now(),
  };
}

/** Makes the list of the client's components; `npm run clients` checks that nothing else is installed. */
async function clientSbom(version: string): Promise<string> {
  const manifest = await readFile(join(ROOT, "packages", "client", "package.json"), "utf8");
  const outside = Object.keys(publishedManifest(JSON.parse(manifest)).dependencies);
  const components = await readComponents(outside.map((name) => join("node_modules", name)));
  return sbomOf({ name: "@sabika/client", version }, components);
}

/** Publishes the four packages to JSR, or checks that each could be. */
async function publishSources(isDryRun: boolean): Promise<void> {
  const deno = await ensureDeno();
  const staged = await mkdtemp(join(tmpdir(), "sabika-release-"));
  try {
    await stagePackages(staged);
    for (const name of PUBLISHED) {
      const how = isDryRun ? ["--dry-run"] : [];
      const env = { ...process.env, NO_COLOR: "1" };
      const options = { cwd: join(staged, name), env };
      const end = await runProgram(deno, ["publish", "--allow-dirty", ...how], options);
      if (end.exitCode !== 0) throw new Error(`@sabika/${name}:\n${end.stdout}${end.stderr}`);
      report(`@sabika/${name}: deno publish has no problem`);
    }
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** Makes a line for each file, in the form of `sha256sum -c`. */
async function checksums(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const lines = await Promise.all(names.map(async (name) => {
    const digest = createHash("sha256").update(await readFile(join(folder, name))).digest("hex");
    return `${digest}  ${name}\n`;
  }));
  return lines.join("");
}

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    sign: { type: "string" },
    base: { type: "string" },
    out: { type: "string", default: join(ROOT, ".release") },
  },
});
try {
  await main({ ...values, isDryRun: values["dry-run"] });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
