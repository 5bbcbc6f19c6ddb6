import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildGoProgram, runGo } from "./build_go_program.ts";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { kubernetesSchemas } from "./kubernetes_schemas.ts";

/** What judges a chart. */
export type HelmPrograms = Awaited<ReturnType<typeof findHelm>>;

/**
 * helm and kubeconform, built from the committed `tools/helm/go.mod` and `go.sum` (Go 1.26; minutes, once),
 * and the folder of Kubernetes' schemas for kubeconform.
 *
 * @param progress called with what takes long, in words
 * @throws Error with the reason when they cannot be had on this machine
 */
export async function findHelm(progress?: (words: string) => void) {
  return {
    helm: await buildGoProgram({
      name: "helm",
      version: "3.22.0",
      package: "helm.sh/helm/v3/cmd/helm",
      seconds: 300,
      progress,
    }),
    kubeconform: await buildGoProgram({
      name: "kubeconform",
      version: "0.8.0",
      module: "helm",
      package: "github.com/yannh/kubeconform/cmd/kubeconform",
      seconds: 30,
      progress,
    }),
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
