/** File systems, made of this machine's programs, for images that replace those of a registry. */
import { chmod, cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun, runProgram } from "../../../tools/programs/run_program.ts";

const PASSWD = "root:x:0:0::/:/bin/sh\npostgres:x:999:999::/:/bin/sh\n";

/**
 * Begins a file system: a shell with the common commands, `/etc/passwd` and `/etc/group`.
 *
 * @param busybox a BusyBox's path
 */
export async function makeRootFolder(root: string, busybox: string): Promise<void> {
  for (const folder of ["bin", "usr/bin", "etc", "tmp", "proc", "sys", "dev"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await chmod(join(root, "tmp"), 0o1777);
  await addProgram(root, busybox, "/bin/busybox");
  const commands = (await mustRun(busybox, ["--list"])).trim().split("\n");
  for (const name of commands.filter((name) => name !== "busybox")) {
    await symlink("busybox", join(root, "bin", name));
  }
  await symlink("../../bin/busybox", join(root, "usr/bin/env"));
  await writeFile(join(root, "etc/passwd"), PASSWD);
  await writeFile(join(root, "etc/group"), "root:x:0:\npostgres:x:999:\n");
}

/** Adds a program at the path `at`, and the libraries that it loads at their own paths. */
export async function addProgram(root: string, program: string, at = program): Promise<void> {
  await copyInto(root, program, at);
  await addLibraries(root, program);
}

/** Adds the libraries that a program or a library loads. */
async function addLibraries(root: string, file: string): Promise<void> {
  const { stdout } = await runProgram("ldd", [file]);
  for (const [, path] of stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)) {
    await copyInto(root, path!, path!);
  }
}

async function copyInto(root: string, file: string, at: string): Promise<void> {
  await mkdir(dirname(join(root, at)), { recursive: true });
  await cp(file, join(root, at), { dereference: true, recursive: true });
}
