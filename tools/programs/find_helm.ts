import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runGo } from "./build_go_program.ts";
import { cacheFolder, fetchOnce } from "./cache_folder.ts";
import { findProgram } from "./find_program.ts";
import { kubernetesSchemas } from "./kubernetes_schemas.ts";

/** What judges a chart. */
export interface HelmPrograms {
  readonly helm: string;
  readonly kubeconform: string;
  /** The folder of Kubernetes' schemas, for kubeconform. */
  readonly schemas: string;
}

/**
 * helm and kubeconform, built from the committed `tools/helm/go.mod` and `go.sum` (Go 1.26; minutes, once).
 *
 * @param progress called with what takes long, in words
 * @throws Error with the reason when they cannot be had on this machine
 */
export async function findHelm(progress?: (words: string) => void): Promise<HelmPrograms> {
  return {
    helm: (await findProgram("helm", progress)).command,
    kubeconform: (await findProgram("kubeconform", progress)).command,
    schemas: await fetchOnce(join(cacheFolder(), "kubernetes-schemas-0.37.0"), writeSchemas),
  };
}

/** Kubernetes' own description, which a module of its has within it: of 1.23, whatever the module's version. */
async function writeSchemas(folder: string): Promise<void> {
  const module = "k8s.io/cli-runtime";
  await runGo("helm", folder, ["mod", "download", module]);
  const source = (await runGo("helm", folder, ["list", "-m", "-f", "{{.Dir}}", module])).trim();
  const description = join(source, "artifacts", "openapi", "swagger.json");
  const schemas = kubernetesSchemas(JSON.parse(await readFile(description, "utf8")));
  await mkdir(folder, { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(join(folder, name), JSON.stringify(schema));
  }
}
