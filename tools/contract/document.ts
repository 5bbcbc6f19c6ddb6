import { join } from "node:path";
import { findPython } from "../clients/find_python.ts";
import { check, type Subject } from "../clients/subject.ts";
import { ROOT } from "../rules/repository_files.ts";

/** The OpenAPI document. */
export const DOCUMENT = join(ROOT, "docs", "openapi.json");
/** The folder tools/contract, which has the Python programs' files. */
export const FOLDER = join(ROOT, "tools", "contract");
export const REQUIREMENTS = join(FOLDER, "requirements.txt");

/** openapi-spec-validator, of the python-openapi project. */
export const document: Subject = {
  name: "document",
  async prepare() {
    const { run } = await findPython(REQUIREMENTS);
    const validator = ["-m", "openapi_spec_validator", "--schema", "3.1", DOCUMENT];
    return { checks: [check("the document is valid", run(FOLDER, [], ...validator))] };
  },
};
