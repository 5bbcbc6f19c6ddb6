import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
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
}

/** The folder of the innermost package that a path lies in. */
const PACKAGE = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
/** The files of a package that its licence and scanners require. */
const KEPT = /^(package\.json|(un)?licen[cs]e.*|notice.*|copying.*)$/i;

/**
 * Copies the manifests and licences of the packages that files come from out of the repository's
 * node_modules.
 *
 * @param files from the repository's root
 * @param target gets a `node_modules`
 */
export async function copyPackages(files: readonly string[], target: string): Promise<Component[]> {
  const folders = new Set(files.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []));
  const manifests = new Map<string, Manifest>();
  for (const folder of folders) {
    const text = await readFile(join(ROOT, folder, "package.json"), "utf8");
    manifests.set(folder, JSON.parse(text));
    for (const name of await readdir(join(ROOT, folder))) {
      if (KEPT.test(name)) await cp(join(ROOT, folder, name), join(target, folder, name));
    }
  }
  const components = Array.from(manifests, ([folder, manifest]) => {
    const { name, version, license = "NOASSERTION", dependencies, peerDependencies } = manifest;
    const dependsOn = Object.keys({ ...dependencies, ...peerDependencies }).sort()
      .map((needed) =>
        manifests.get(`${folder}/node_modules/${needed}`) ?? manifests.get(`node_modules/${needed}`)
      )
      .filter((found) => found !== undefined).map((found) => `${found.name}@${found.version}`);
    return { name, version, license, dependsOn };
  });
  return components.sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * A program's components as a CycloneDX 1.5 document.
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
