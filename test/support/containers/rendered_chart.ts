import { assert, assertEquals } from "@std/assert";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { runProgram } from "../../../tools/programs/run_program.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** The Helm chart's folder. */
export const CHART = fileURLToPath(new URL("../../../packages/deployment/chart/", import.meta.url));
/** The sets of values that come with the chart. */
export const EXAMPLES = (await readdir(join(CHART, "examples"))).sort();

/** The members of a Kubernetes container that tests check. */
export interface Container {
  name: string;
  image: string;
  command: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  resources: { limits: Record<string, string> };
  securityContext: unknown;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}
/** The members of a Kubernetes pod that tests check. */
export interface Pod {
  automountServiceAccountToken: boolean;
  securityContext: Record<string, unknown>;
  initContainers?: Container[];
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
}
/** An object of a rendered chart, whose members depend on its kind. */
// deno-lint-ignore no-explicit-any
export type KubernetesObject = any;

/** The chart as rendered by helm with each set of values. */
export type RenderedChart = Awaited<ReturnType<typeof renderChart>>;

/** Renders the chart with each set of values; helm must accept all of them without a warning. */
export async function renderChart() {
  const helm = (await findProgram("helm")).command;
  const folder = temporaryFolder();
  const rendered = new Map<string, KubernetesObject[]>();
  const render = (...values: string[]) =>
    runProgram(helm, ["template", "gold", CHART, "--kube-version", "1.30.0", ...values]);
  for (const example of EXAMPLES) {
    const values = ["--values", join(CHART, "examples", example)];
    const { exitCode, stdout, stderr } = await render(...values);
    assertEquals([exitCode, stderr], [0, ""], example);
    await writeFile(join(folder, example), stdout);
    rendered.set(example, parseAllDocuments(stdout).map((document) => document.toJS()));
  }
  return {
    /** Path of the program `helm`. */
    helm,
    /** A folder with one file for each set of values, named after it. */
    folder,
    rendered,
    render,
    object(example: string, kind: string, name: string): KubernetesObject {
      const found = rendered.get(example)!.find((object) =>
        object?.kind === kind && object.metadata.name === name
      );
      assert(found !== undefined, `${example}: ${kind} ${name}`);
      return found;
    },
  };
}

/** Returns the pod that an object starts. */
export const podOf = (object: KubernetesObject): Pod => object.spec.template.spec;
/** Returns all containers of a pod, those that initialise it first. */
export const containersOf = (pod: Pod) => [...pod.initContainers ?? [], ...pod.containers];
/** Returns the container with a name, which the pod must have. */
export const containerOf = (pod: Pod, name: string) =>
  containersOf(pod).find((container) => container.name === name)!;
/** Returns the environment variables of a container, by name. */
export const environmentOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));
