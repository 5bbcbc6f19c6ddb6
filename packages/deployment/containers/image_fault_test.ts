/** The image that one command builds: its content, its user, its start and its end (F21). */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@sabika/database";
import { migrate } from "@sabika/service/schema";
import { testRecord } from "../../../test/secret_search/record.ts";
import {
  buildOwnImage,
  importNode,
  startEngineWith,
} from "../../../test/support/containers/stand_in_images.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { adminOn } from "../../../test/support/test_admin.ts";
import { until } from "../../../test/support/until.ts";
import { mustRun, runProgram } from "../../../tools/programs/run_program.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { commandLine } from "../../../tools/programs/command_line.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The upper limit of what the image adds to its base. */
const MOST_MEGABYTES = 16;
const PATIENCE_MS = 60_000;
const USER = 10_001;

/** Files and folders that production does not need, by their paths. */
const FOREIGN = [
  /(?<!\.d)\.[cm]?tsx?$|_test\.|_main\.js$/,
  /node_modules\/(tsx|esbuild|typescript|undici|@electric-sql|@sabika\/(client|sandbox))$/,
  /(^|\/)(faults?|nemesis|__tests__)$/,
  /(^|\/)bin\/(npm|npx|yarn|corepack)$/,
];

// Without an engine or a base there is no image to test, which is no fault of the image.
const started = await startEngineWith(() => Promise.resolve()).catch((error: Error) => error);
const skip = started instanceof Error ? started.message.split("\n")[0] : false;

describe("the image", { skip }, () => {
  if (started instanceof Error) return;
  const { engine } = started;
  const folder = temporaryFolder();
  let base = "";
  let image = "";
  /** The folder of the image's extracted files. */
  let files = "";
  let postgresql: RunningPostgreSQL;
  const inspect = async (name: string) =>
    JSON.parse(await engine.docker("image", "inspect", name))[0];
  before(async () => {
    base = await importNode(engine, started.node);
    image = await buildOwnImage(engine, base, "sabika:test");
    const container = (await engine.docker("create", image)).trim();
    files = join(folder, "files");
    await mkdir(files);
    const archive = join(folder, "files.tar");
    await engine.docker("export", "--output", archive, container);
    await mustRun("tar", ["-xf", archive, "-C", files, "--same-owner", "--numeric-owner"]);
    postgresql = await runPostgreSQL({ durable: false });
  });
  after(async () => {
    await postgresql?.stop();
    await engine.stop();
  });

  it("is small, and names its base by digest", async (t) => {
    const [{ Size: size, Config: { Labels: labels } }, { Size: below }] = await Promise.all([
      inspect(image),
      inspect(base),
    ]);
    t.diagnostic(`${megabytes(size - below)} MB on a base of ${megabytes(below)} MB`);
    assert(size - below < MOST_MEGABYTES * 2 ** 20, `${size - below} bytes`);
    assertMatch(image, /^sha256:[0-9a-f]{64}$/);
    assertMatch(base, /^sha256:[0-9a-f]{64}$/);
    assertEquals(labels["org.opencontainers.image.base.name"], base);
    assertEquals(labels["org.opencontainers.image.licenses"], "Apache-2.0");
  });

  it("holds byte for byte what `npm run build` makes anywhere, and nothing else", async () => {
    const built = join(folder, "built");
    await mustRun("node", ["tools/run.mjs", "tools/build/main.ts", "--out", built], { cwd: ROOT });
    const { stdout, exitCode } = await runProgram(
      "diff",
      commandLine`--recursive --no-dereference --brief ${join(files, "app")} ${built}`,
    );
    assertEquals([exitCode, stdout], [0, ""]);
    // Beside it are only the base's files and the folders of the Dockerfile.
    const folders = await readdir(join(files, "var/lib/sabika"));
    assertEquals(folders.sort(), [
      "administration",
      "authority",
      "database-secret",
      "exporter",
      "partners",
      "root",
      "secrets",
      "sidecar",
    ]);
  });

  it("has no test, no compiler, no sandbox's database, and no package manager", async () => {
    const paths = await readdir(files, { recursive: true });
    const foreign = paths.filter((path) => FOREIGN.some((pattern) => pattern.test(path)));
    assertEquals(foreign, []);
  });

  it("lists in its SBOM exactly the packages that are in it", async () => {
    const sbom = JSON.parse(await readFile(join(files, "app/sbom.cdx.json"), "utf8"));
    assertEquals([sbom.bomFormat, sbom.specVersion], ["CycloneDX", "1.5"]);
    const listed = sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
    const modules = join(files, "app/node_modules");
    const found = new Set<string>();
    for (const path of await readdir(modules, { recursive: true })) {
      const [, name] = /(?:^|\/node_modules\/)((?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path) ??
        [];
      if (name === undefined || name.startsWith("@sabika/")) continue;
      const { version } = JSON.parse(await readFile(join(modules, path), "utf8"));
      found.add(`pkg:npm/${name}@${version}`);
    }
    assertEquals(listed.sort(), [...found].sort());
  });

  it("runs as a user of its own, who can change none of its programs", async () => {
    const { Config: { User: user, Env: environment } } = await inspect(image);
    assertEquals(user, `${USER}:${USER}`);
    assert(environment.includes("NODE_ENV=production"));
    const writable = await mustRun(
      "find",
      commandLine`${files} -xdev ! -type l ! -path */var/lib/sabika/* ( -uid ${String(USER)} -o
        -perm /6000 -o ( -perm -o+w ! -perm -1000 ) )`,
    );
    assertEquals(writable.split("\n").filter((line) => line !== ""), []);
  });

  it("answers when it is started, and ends in order at SIGTERM", async () => {
    const handedOver = join(folder, "mounted");
    await mkdir(handedOver, { mode: 0o700 });
    const database = openDatabase(postgresql.url, { maxConnections: 2 });
    await migrate(database);
    const { masterKeyText } = await adminOn(database, "sandbox", Date.now);
    await database.close();
    testRecord.secretsIn(postgresql.url);
    const secrets = {
      "master.key": masterKeyText,
      "server.url": postgresql.url,
      edge_secrets: "e".repeat(40),
    };
    for (const [name, text] of Object.entries(secrets)) {
      await writeFile(join(handedOver, name), `${text}\n`, { mode: 0o600 });
      await chown(join(handedOver, name), USER, USER);
    }
    await chown(handedOver, USER, USER);
    const settings = {
      SABIKA_ENVIRONMENT: "sandbox",
      SABIKA_BASE_URL: "https://127.0.0.1:8443",
      SABIKA_DATABASE_URL_FILE: "/mounted/server.url",
      SABIKA_MASTER_KEY_FILE: "/mounted/master.key",
      SABIKA_LISTEN: "unix:/mounted/server.sock",
      SABIKA_EDGE_SECRET_FILE: "/mounted/edge_secrets",
      SABIKA_WATCH_LISTEN: "unix:/mounted/watch.sock",
    };
    // Confined as in docker-compose.yml.
    const id = (await engine.docker(
      ...commandLine`create --network host --read-only --cap-drop ALL
        --security-opt no-new-privileges --pids-limit 256 --tmpfs /tmp
        --volume ${handedOver}:/mounted
        ${Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`])}`,
      image,
    )).trim();
    await engine.docker("start", id);
    let health: Health | undefined;
    await until(
      async () =>
        (health = await ask(join(handedOver, "watch.sock")).catch(() => undefined))?.status ===
          "ok",
      PATIENCE_MS,
    );
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    assertEquals(health!.version, version);
    await engine.docker("stop", "--time", "30", id);
    const { ExitCode: code, OOMKilled: isKilled } =
      JSON.parse(await engine.docker("inspect", id))[0].State;
    const { stdout, stderr } = await engine.run(["logs", id]);
    testRecord.log("container", stdout + stderr);
    assertEquals([code, isKilled], [0, false], stdout + stderr);
    assertEquals((await readdir(handedOver)).filter((name) => name.endsWith(".sock")), []);
  });
});

interface Health {
  status: string;
  version: string;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/** Reads a server's health over its watch socket. */
function ask(socketPath: string): Promise<Health> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: "/health", agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("end", () => resolve(JSON.parse(text)));
    });
    asked.once("error", reject).end();
  });
}
