import { type OperationId, OPERATIONS } from "../operations.ts";
import type { Operation } from "../operation.ts";
import { METHODS } from "./methods.ts";

/** The committed file, with which the tests of each client show that it calls every operation. */
export const OPERATIONS_FILE = new URL("../../../docs/vectors/operations.json", import.meta.url);

/** Makes docs/vectors/operations.json: the operations that a client has methods for. */
export function operationsFile(): string {
  const ids = [...new Set(METHODS.map(({ operation }) => operation))];
  const vectors = {
    about: "The operations that a client has methods for. path: a regular expression for the " +
      "whole path, without the query.",
    source: "Decision D117",
    operations: ids.map((id) => ({ id, method: OPERATIONS[id].method, path: patternOf(id) })),
  };
  return `${JSON.stringify(vectors, null, 2)}\n`;
}

function patternOf(id: OperationId): string {
  const { path, parameters = [] }: Operation = OPERATIONS[id];
  const { pattern = "" } = parameters.find((parameter) => parameter.in === "path")?.schema ?? {};
  return `^${path.replaceAll(".", "\\.").replace("{id}", pattern.replace(/^\^|\$$/g, ""))}$`;
}
