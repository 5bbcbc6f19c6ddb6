/** `npm run release`: builds, checks and publishes the packages for partners, see HELP of ../release.mjs. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { mustRun, runProgram } from "../programs/run_program.ts";
import { repositoryFiles, ROOT } from "../rules/repository_files.ts";
import { ensureDeno } from "../setup.mjs";
import { checkVersions } from "./check_versions.ts";
import { type Sbom, sbomOfPackage } from "./sbom.ts";
import { PUBLISHED, stagePackages } from "./stage_packages.ts";

const STATES_A_VERSION =
  /^(package|(packages|loadtest)\/(\w+\/)?(package|deno))\.json$|^clients\/python\/pyproject\.toml$|^clients\/java\/pom\.xml$|^packages\/(client|core\/settings)\/version\.ts$/;

const report = (line: string) => process.stdout.write(`${line}\n`);
const npm = (...args: string[]) => mustRun("npm", [...args, "--loglevel=error"], { cwd: ROOT });

async function main(folder: string, isDryRun: boolean): Promise<void> {
  const files = (await repositoryFiles()).filter(({ path }) => STATES_A_VERSION.test(path));
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  const { version, problems } = checkVersions(changelog, files, { isDryRun });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  report(`version ${version}, as ${files.length} files and CHANGELOG.md say`);

  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await npm("pack", "-w", "packages/client", "--pack-destination", folder);
  const tarball = join(folder, `sabika-client-${version}.tgz`);
  report(`built ${relative(process.cwd(), tarball)}`);

  const client = await readSbom("-w", "packages/client");
  const write = (name: string, sbom: Sbom) =>
    writeFile(join(folder, name), `${JSON.stringify(sbom, null, 2)}\n`);
  await write("sabika-client.cdx.json", sbomOfPackage(client, `@sabika/client@${version}`));
  await write("sabika.cdx.json", await readSbom());
  report("wrote what they consist of (CycloneDX)");
  await writeFile(join(folder, "SHA256SUMS"), await checksums(folder));
  report("wrote SHA256SUMS");

  await publishSources(isDryRun);
  if (!isDryRun) await npm("publish", tarball);
  report(isDryRun ? "dry run: nothing was published" : `published ${version}`);
}

/** What a workspace, or the whole service, consists of when it runs. */
async function readSbom(...which: string[]): Promise<Sbom> {
  const text = await npm("sbom", "--sbom-format", "cyclonedx", "--omit", "dev", ...which);
  const sbom = JSON.parse(text) as Sbom;
  sbom.metadata.component.name = "sabika"; // npm takes the name of the folder
  return sbom;
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

/** A line for each file, as `sha256sum -c` reads them. */
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
    out: { type: "string", default: join(ROOT, ".release") },
  },
});
try {
  await main(values.out, values["dry-run"]);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
