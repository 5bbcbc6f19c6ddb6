import { existsSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ROOT } from "../rules/repository_files.ts";

/** A package from outside, as it is installed. */
export interface Component {
  name: string;
  version: string;
  license: string;
  /** `name@version` of what it imports. */
  dependsOn: string[];
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** What of a package nobody runs. */
const UNUSED_FOLDERS = ["node_modules", "test", "tests", "__tests__"];
const UNUSED = /\.(map|[cm]?ts|flow|markdown)$|(?<!licen[cs]e)\.md$/i;

/**
 * Copies packages, and those that they need, from the repository's node_modules: the versions of the
 * lock file, without declarations, source maps and pages.
 *
 * @param names as they are imported
 * @param target the new node_modules
 */
export async function copyPackages(names: readonly string[], target: string): Promise<Component[]> {
  const components = new Map<string, Component>();
  const copy = async (name: string, from: string): Promise<string> => {
    const folder = locate(name, from);
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
    const id = `${manifest.name}@${manifest.version}`;
    if (components.has(id)) return id;
    const { version, license = "NOASSERTION" } = manifest;
    const component: Component = { name, version, license, dependsOn: [] };
    components.set(id, component);
    await cp(folder, join(target, relative(join(ROOT, "node_modules"), folder)), {
      recursive: true,
      filter: (path) =>
        !UNUSED.test(path) && (path === folder || !UNUSED_FOLDERS.includes(basename(path))),
    });
    for (const needed of needs(manifest)) component.dependsOn.push(await copy(needed, folder));
    return id;
  };
  for (const name of names) await copy(name, ROOT);
  return [...components.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

function needs({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {})
    .filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...new Set([...Object.keys(dependencies ?? {}), ...peers])].sort();
}

/** The folder that Node finds a package in. */
function locate(name: string, from: string): string {
  for (let folder = from; folder.length >= ROOT.length; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  throw new Error(`${name} is not installed`);
}

/**
 * What a program consists of, in the form of CycloneDX 1.5.
 *
 * @param subject the program
 */
export function sbomOf(
  subject: { name: string; version: string },
  components: readonly Component[],
) {
  const reference = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;
  const purl = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const needed = new Set(components.flatMap(({ dependsOn }) => dependsOn));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": reference(subject), ...subject },
    },
    components: components.map(({ name, version, license }) => ({
      type: "library",
      "bom-ref": reference({ name, version }),
      name,
      version,
      purl: purl(name, version),
      licenses: [
        / (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } },
      ],
    })),
    dependencies: [
      {
        ref: reference(subject),
        dependsOn: components.map(reference).filter((id) => !needed.has(id)),
      },
      ...components.map((component) => ({
        ref: reference(component),
        dependsOn: component.dependsOn,
      })),
    ],
  };
}
