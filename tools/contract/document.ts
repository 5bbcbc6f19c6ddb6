import { join } from "node:path";
import { runCommandOf } from "../clients/language.ts";
import { ROOT } from "../rules/repository_files.ts";
import { type Judge, resultOf } from "./judge.ts";
import { pythonPackages } from "./python_packages.ts";

export const DOCUMENT = join(ROOT, "docs", "openapi.json");

/** openapi-spec-validator, of the python-openapi project. */
export const document: Judge = {
  name: "document",
  async prepare() {
    const python = await pythonPackages();
    return async () => {
      const end = await runCommandOf(
        python("-m", "openapi_spec_validator", "--schema", "3.1", DOCUMENT),
      );
      return { results: [resultOf("the document is valid", end)], output: end.output };
    };
  },
};
