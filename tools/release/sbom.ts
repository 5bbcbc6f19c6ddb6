/** What of a CycloneDX document is changed here (npm writes version 1.5). */
export interface Sbom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  "bom-ref": string;
  name: string;
}

/**
 * Makes npm's list for one workspace that of the package it becomes: the package is the subject, and
 * its siblings are no components, since their code is inside.
 *
 * @param reference of the package, such as `@sabika/client@1.0.0`
 */
export function sbomOfPackage(sbom: Sbom, reference: string): Sbom {
  const isOurs = (name: string) => name.startsWith("@sabika/") || name.startsWith("sabika@");
  const subject = sbom.components.find((component) => component["bom-ref"] === reference)!;
  const components = sbom.components.filter((component) => !isOurs(component["bom-ref"]));
  const direct = sbom.dependencies.filter(({ ref }) => isOurs(ref))
    .flatMap(({ dependsOn }) => dependsOn).filter((ref) => !isOurs(ref));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: subject },
    components,
    dependencies: [
      { ref: reference, dependsOn: [...new Set(direct)] },
      ...sbom.dependencies.filter(({ ref }) => !isOurs(ref)),
    ],
  };
}
