import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "./at_end.ts";
import { freePort } from "./free_port.ts";
import { inheritedMark, listPids } from "./marked_processes.ts";
import { endProcess, isRunning } from "./own_process.ts";
import { findPostgreSQL } from "./postgresql_binaries.ts";
import { folderInMemory, ownedFolder, reachable } from "./postgresql_folders.ts";
import { mustRun } from "./run_program.ts";
import { canReach, type UnixUser, unprivilegedUser } from "./unprivileged_user.ts";
import { commandLine } from "./command_line.ts";

/** How to run a PostgreSQL server. */
export interface PostgreSQLSettings {
  /**
   * true: every commit reaches the disk, as in production. false: quick, for tests that do not crash it;
   * without `folder` the data is then in memory, if the system has enough.
   */
  durable: boolean;
  /** The folder that keeps the data between runs, with a file of the password beside it; by default `stop()` removes the data. */
  folder?: string;
  /** The folder of its programs; by default that of `findPostgreSQL`. */
  binFolder?: string | undefined;
  /** Further settings of postgresql.conf, e.g. `{ max_connections: "300" }`. */
  settings?: Record<string, string>;
}

/** The settings that make each commit reach the disk; turned off unless `durable`. */
const DURABLE = ["fsync", "synchronous_commit", "full_page_writes"];

/**
 * Starts a PostgreSQL server and resolves when it takes connections (about 0.5 s).
 *
 * For root, who may not run PostgreSQL, it runs as `postgres` or `nobody`, in any folder.
 *
 * @throws Error with the server's last lines if it does not start
 */
export async function runPostgreSQL(settings: PostgreSQLSettings): Promise<RunningPostgreSQL> {
  const server = new RunningPostgreSQL(settings);
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

interface Command {
  command: string;
  args: string[];
  as: Partial<UnixUser>;
}

/** A PostgreSQL server that ends with this process at the latest; no system service, no fixed port. */
export class RunningPostgreSQL {
  /** The folder of its programs (`initdb`, `postgres`; if it is installed, also `psql`, `pgbench`). */
  binFolder = "";
  dataFolder = "";
  socketFolder = "";
  port = 0;
  readonly #settings: PostgreSQLSettings;
  readonly #user = unprivilegedUser();
  /** Folders that are removed when the server stops. */
  readonly #temporary: string[] = [];
  #password = "";
  #child: ChildProcess | undefined;
  #stayAtEnd = () => {};
  #onEnd = () => {};

  constructor(settings: PostgreSQLSettings) {
    this.#settings = settings;
  }

  /** The superuser's URL over the loopback, with this folder's password. */
  get url(): string {
    return `postgres://sabika:${this.#password}@127.0.0.1:${this.port}/postgres`;
  }

  /** Like `url`, but over the Unix socket, which is quicker and needs no password. */
  get socketUrl(): string {
    const host = encodeURIComponent(this.socketFolder);
    return `postgres://sabika@/postgres?host=${host}&port=${this.port}`;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error("this PostgreSQL does not run");
    return this.#child.pid;
  }

  /** Makes the folders, and the first time the database's files. */
  async initialise(): Promise<void> {
    const { folder, binFolder, durable } = this.#settings;
    this.socketFolder = await ownedFolder(await mkdtemp(join(tmpdir(), "sabika-pg-")), this.#user);
    this.#temporary.push(this.socketFolder);
    const memory = folder === undefined && !durable ? folderInMemory() : undefined;
    if (memory !== undefined) this.#temporary.push(memory);
    const data = resolve(folder ?? memory ?? join(this.socketFolder, "data"));
    this.dataFolder = await ownedFolder(data, this.#user);
    const programs = binFolder ?? await findPostgreSQL();
    this.binFolder = await reachable(programs, this.#user, this.socketFolder);
    // Beside the data, so that no backup has it.
    const passwordFile = `${data}.password`;
    if (existsSync(join(data, "PG_VERSION"))) {
      const inData = join(data, "sabika.password");
      if (existsSync(inData)) await rename(inData, passwordFile);
      this.#password = (await readFile(passwordFile, "utf8")).trim();
      return;
    }
    this.#password = crypto.randomUUID().replaceAll("-", "");
    const initialFile = join(this.socketFolder, "password");
    await writeFile(initialFile, this.#password + "\n", { mode: 0o600 });
    if (this.#user !== undefined) chownSync(initialFile, this.#user.uid, this.#user.gid);
    const { command, args, as } = this.#asUser(
      "initdb",
      commandLine`--username=sabika --pwfile=${initialFile} --encoding=UTF8 --no-locale
        --auth-local=trust --auth-host=scram-sha-256 ${durable ? "--data-checksums" : "--no-sync"}`,
    );
    await mustRun(command, args, { cwd: "/", env: this.#environment(), ...as });
    await rm(initialFile);
    if (folder !== undefined) {
      await writeFile(passwordFile, this.#password + "\n", { mode: 0o600 });
    }
  }

  /** Starts the server. If its port is taken on the first start, it gets another. */
  async start(): Promise<void> {
    const wanted = this.port;
    for (let attempt = 1;; attempt++) {
      this.port = wanted || await freePort();
      const words = await this.#tryStart();
      if (words === undefined) break;
      const hasOrphans = /shared memory block .* is still in use/.test(words);
      const passing = hasOrphans || /could not bind|could not create any TCP/.test(words);
      if (!passing || attempt === 50) throw new Error(`PostgreSQL does not start: ${words}`);
      if (hasOrphans) this.#endOrphans();
      await pause(100);
    }
    this.#stayAtEnd = atEnd(() => this.#endNow());
  }

  /** Shuts the server down (open transactions are rolled back) and removes temporary folders. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
    for (const folder of this.#temporary) await rm(folder, { recursive: true, force: true });
  }

  /**
   * Kills the postmaster. Its other processes end as soon as they notice; one that is executing a
   * statement is ended by the next start at the latest.
   */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Calls `callback` each time the server ends other than by `stop`, `kill` or `restart`. */
  onEnd(callback: () => void): void {
    this.#onEnd = callback;
  }

  /** Restarts the server on the same port, after `kill()` or while it runs. */
  async restart(): Promise<void> {
    await this.#end("SIGINT");
    await this.start();
  }

  /** Starts the process; resolves with undefined when it serves, or with its last lines. */
  async #tryStart(): Promise<string | undefined> {
    const logFile = join(this.dataFolder, "postgresql.log");
    const log = openSync(logFile, "w");
    // The server reads it for a backup.
    if (this.#user !== undefined) fchownSync(log, this.#user.uid, this.#user.gid);
    const { durable, settings: more } = this.#settings;
    const settings = {
      unix_socket_directories: this.socketFolder,
      unix_socket_permissions: "0700",
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      max_connections: "200",
      shared_buffers: "256MB",
      dynamic_shared_memory_type: "mmap",
      ...Object.fromEntries(DURABLE.map((name) => [name, durable ? "on" : "off"])),
      ...more,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // In a new session, so that Ctrl-C reaches only this process, which ends the server itself.
    const { command, args, as } = this.#asUser("postgres", options);
    const child = spawn(command, args, {
      cwd: "/",
      env: this.#environment(),
      stdio: ["ignore", log, log],
      detached: true,
      ...as,
    });
    closeSync(log);
    const ended = once(child, "exit");
    this.#child = child;
    const pidFile = join(this.dataFolder, "postmaster.pid");
    while (isRunning(child)) {
      const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
      if (Number(lines[0]) === child.pid && lines[7]?.trim() === "ready") {
        child.unref();
        void ended.then(() => this.#child === child && this.#onEnd());
        return undefined;
      }
      await pause(10);
    }
    await ended;
    this.#child = undefined;
    const words = (await readFile(logFile, "utf8")).trim().split("\n").slice(-4).join("\n");
    return words || "it ended without a word";
  }

  async #end(signal: "SIGINT" | "SIGKILL"): Promise<void> {
    this.#stayAtEnd();
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || !isRunning(child)) return;
    child.ref();
    // A regular shutdown ends all of its processes.
    if (signal === "SIGKILL") process.kill(-child.pid!, "SIGKILL");
    await endProcess(child, signal);
  }

  /**
   * Ends processes that still work in the data folder although their postmaster has ended: one that executes a
   * statement notices that only at its end, and until then no postmaster can start there. Reads `/proc`;
   * does nothing on systems without it.
   */
  #endOrphans(): void {
    const folder = realpathSync(this.dataFolder);
    for (const pid of listPids()) {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) === folder) process.kill(pid, "SIGKILL");
      } catch {
        // The process has ended, or belongs to another user.
      }
    }
  }

  /** Called while this process exits, when it can only signal the server. */
  #endNow(): void {
    if (this.#child === undefined) return;
    this.#child.kill("SIGQUIT");
    for (const folder of this.#temporary) removeUnderWriters(folder);
  }

  /**
   * Makes the command of a PostgreSQL program on the data folder, as the server's user. If that user may not
   * search the folders above it (such as root's home), a shell opens the data folder as file descriptor 3,
   * and the path through the descriptor needs no right on those folders.
   */
  #asUser(program: string, options: string[]): Command {
    const command = join(this.binFolder, program);
    const user = this.#user;
    if (user === undefined || canReach(user, this.dataFolder)) {
      return { command, args: ["-D", this.dataFolder, ...options], as: { ...user } };
    }
    const drop = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups --`;
    const script = `exec 3<"$0"; exec ${drop} "$@"`;
    const args = [this.dataFolder, command, "-D", "/proc/self/fd/3", ...options];
    return { command: "/bin/sh", args: ["-c", script, ...args], as: {} };
  }

  #environment(): Record<string, string> {
    return { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC", ...inheritedMark() };
  }
}

/**
 * Removes a folder into which an ending program may still write: a file that is added during the removal
 * makes rmSync fail or, on some runtimes, stop halfway without an error.
 */
function removeUnderWriters(folder: string): void {
  for (const endMs = Date.now() + 2_000; existsSync(folder) && Date.now() < endMs;) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOTEMPTY") throw error;
    }
  }
}
