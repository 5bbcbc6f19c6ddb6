/** An installed external package. */
export interface Component {
  name: string;
  version: string;
  /** An SPDX identifier or expression. */
  license: string;
  /** Its dependencies, as `name@version`. */
  dependsOn: string[];
}

/**
 * Writes a program's components as a CycloneDX 1.5 document.
 *
 * @param program the program that has these components
 */
export function sbomOf(
  program: { name: string; version: string },
  components: readonly Component[],
): string {
  const reference = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;
  const needed = new Set(components.flatMap(({ dependsOn }) => dependsOn));
  const direct = components.map(reference).filter((id) => !needed.has(id));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": reference(program), ...program },
    },
    components: components.map(({ name, version, license }) => ({
      type: "library",
      "bom-ref": reference({ name, version }),
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      licenses: [
        / (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } },
      ],
    })),
    dependencies: [
      { ref: reference(program), dependsOn: direct },
      ...components.map(({ dependsOn, ...component }) => ({
        ref: reference(component),
        dependsOn,
      })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
