import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { check, type Command, runCommandOf, type Subject } from "../clients/subject.ts";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { commandLine } from "../programs/command_line.ts";
import { fetchNode, installNpmPackages } from "../programs/fetch_packages.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { DOCUMENT } from "./document.ts";

const REDOCLY = "2.77.0";
/** Redocly ends with Node 20. */
const NODE = "24.21.0";
const OAPI_CODEGEN = "v2.8.2";
const OAPI_RUNTIME = "v1.9.0";
const OPENAPI_GENERATOR = "7.25.0";

/** What openapi-generator says of documents that use more than it knows; each is of no consequence. */
const EXPLAINED = [
  "OpenAPI 3.1 support is still in beta", // it is one of 3.1
  "Unknown `format` decimal detected for type `number`", // a name of OpenAPI's own registry
  "Unknown type `mutualTLS` found in the security definition", // a type of OpenAPI 3.1
];

/** Makes a check that a program exits with 0 and says nothing that `isWrong`. */
function checkSilent(name: string, command: Command, isWrong: (line: string) => boolean) {
  return {
    name,
    async run() {
      const { ok, output } = await runCommandOf(command);
      const wrong = output.split("\n").filter(isWrong);
      return { ok: ok && wrong.length === 0, output: wrong.length > 0 ? wrong.join("\n") : output };
    },
  };
}

/** Checks that a client in Go can be compiled. */
function compiled(go: string, cwd: string) {
  return [
    check("what it needs is fetched", { command: go, args: ["mod", "tidy"], cwd }),
    check("it is compiled", { command: go, args: ["build", "./..."], cwd }),
  ];
}

/** Redocly's linter, with its recommended rules. */
export const redocly: Subject = {
  name: "redocly",
  async prepare(scratch) {
    const node = await fetchNode(NODE);
    const folder = await fetchOnce(
      join(cacheFolder("contract"), `redocly-${REDOCLY}`),
      (part) => installNpmPackages(part, [`@redocly/cli@${REDOCLY}`]),
    );
    const program = join(folder, "node_modules", "@redocly", "cli", "bin", "cli.js");
    const command = {
      command: node,
      args: commandLine`${program} lint ${DOCUMENT} --extends=recommended`,
      cwd: scratch,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    };
    const isWarning = (line: string) => line.startsWith("[");
    return { checks: [checkSilent("it finds nothing to warn of", command, isWarning)] };
  },
};

/** oapi-codegen: a client in Go, which is compiled. */
export const oapiCodegen: Subject = {
  name: "oapi-codegen",
  async prepare(scratch) {
    const go = onPath("go");
    if (go === undefined) throw new Error("go is not on the PATH");
    const name = `oapi-codegen-${OAPI_CODEGEN}`;
    const folder = await fetchOnce(join(cacheFolder("contract"), name), async (part) => {
      const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`;
      await mustRun(go, ["install", program], { env: { ...process.env, GOBIN: part } });
    });
    await writeFile(
      join(scratch, "go.mod"),
      `module api\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime ${OAPI_RUNTIME}\n`,
    );
    const run = (command: string, args: string[]) => ({ command, args, cwd: scratch });
    const generate = commandLine`-generate types,client -package api -o api.go ${DOCUMENT}`;
    return {
      checks: [
        checkSilent(
          "it makes a client without a word",
          run(join(folder, "oapi-codegen"), generate),
          (line) => line.trim() !== "",
        ),
        ...compiled(go, scratch),
      ],
    };
  },
};

/** openapi-generator: another client in Go, which is compiled. */
export const openapiGenerator: Subject = {
  name: "openapi-generator",
  async prepare(scratch) {
    const [java, maven, go] = ["java", "mvn", "go"].map((name) => {
      const found = onPath(name);
      if (found === undefined) throw new Error(`${name} is not on the PATH`);
      return found;
    }) as [string, string, string];
    const name = `openapi-generator-cli-${OPENAPI_GENERATOR}`;
    const folder = await fetchOnce(join(cacheFolder("contract"), name), async (part) => {
      const repository = join(part, "repository");
      await mkdir(repository);
      const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
      await mustRun(
        maven,
        commandLine`-B -q -ntp -Dmaven.repo.local=${repository}
          org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy
          -Dartifact=${artifact} -DoutputDirectory=${part}`,
      );
    });
    const jar = join(folder, `${name}.jar`);
    const run = (command: string, args: string[]) => ({ command, args, cwd: scratch });
    const generate = commandLine`-jar ${jar} generate -g go -i ${DOCUMENT} -o made`;
    const isUnexplained = (line: string) =>
      /\b(WARN|ERROR)\b/.test(line) && !EXPLAINED.some((words) => line.includes(words));
    return {
      checks: [
        check("the document is valid", run(java, ["-jar", jar, "validate", "-i", DOCUMENT])),
        checkSilent(
          "it makes a client without a warning that is not explained",
          run(java, generate),
          isUnexplained,
        ),
        ...compiled(go, join(scratch, "made")),
      ],
    };
  },
};
