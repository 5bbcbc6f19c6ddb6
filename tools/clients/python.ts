import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import { findPython } from "./find_python.ts";
import { checkKeys } from "./keys.ts";
import { samplesProgram } from "./samples.ts";
import { commandLine } from "../programs/command_line.ts";
import {
  check,
  checkExample,
  checkProject,
  checkTests,
  checkTestsOn,
  type Subject,
} from "./subject.ts";

const FOLDER = join(ROOT, "clients", "python");

const REQUIREMENTS = join(FOLDER, "requirements-dev.txt");
/** Beside the Python that is called python3. */
const OTHERS = ["python3.12", "python3.13"];

/** clients/python: its wheel is built and installed, and the tests run against the installed package. */
export const python: Subject = {
  name: "python",
  async prepare(scratch) {
    const { version, run } = await findPython(REQUIREMENTS);
    const installed = join(scratch, "installed");
    const wheel = join(scratch, "sabika_client-1.0.0-py3-none-any.whl");
    const pip = (...args: string[]) =>
      run(FOLDER, [], "-m", "pip", ...args, "--quiet", "--no-deps", "--disable-pip-version-check");
    const mypy = run(FOLDER, [], "-m", "mypy", "--cache-dir", join(scratch, "mypy"));
    const tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    const pytest = run(FOLDER, [installed], ...tests);
    const onOther = (name: string) =>
      checkTestsOn(
        name,
        findPython(REQUIREMENTS, name),
        ({ run }) => run(FOLDER, [installed], ...tests),
      );
    return {
      version,
      checks: [
        check("the types are right (mypy --strict)", mypy),
        check(
          "the wheel is built",
          pip("wheel", "--no-build-isolation", "--wheel-dir", scratch, "."),
        ),
        check("the wheel is installed", pip("install", "--target", installed, wheel)),
        checkProject(
          join(scratch, "project"),
          { "samples.py": samplesProgram("Python") },
          [run("", [installed], ...commandLine`-m mypy --strict samples.py`)],
        ),
        checkExample((kit, url) => run(FOLDER, [installed], "examples/trading_day.py", kit, url)),
        checkTests(pytest),
        ...await Promise.all(OTHERS.map(onOther)),
        await checkKeys({ ...pytest, args: [...pytest.args, "hsm", "tests/test_operations.py"] }),
      ],
    };
  },
};
