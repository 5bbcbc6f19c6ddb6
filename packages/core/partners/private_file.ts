import { chmod, lstat, open, realpath, rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file that only its owner may read, even if it existed with another mode. It is replaced
 * atomically: a concurrent reader, or anyone after a crash, sees the old text or the new. The file
 * keeps its owner when root writes it. What is not a regular file is written in place.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const found = await find(path);
  if (found !== undefined && !found.isPlain) return await writeFile(found.path, text);
  const target = found?.path ?? path;
  const beside = `${target}.${crypto.randomUUID().slice(0, 8)}.new`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      if (found !== undefined && found.uid !== (await file.stat()).uid) {
        await file.chown(found.uid, found.gid);
      }
      await file.writeFile(text);
      await file.chmod(0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    const { code } = error as { code?: string };
    if (found === undefined || !IRREPLACEABLE.has(code ?? "")) throw error;
    await chmod(target, 0o600);
    await writeFile(target, text);
  }
}

/** A file mounted on its own into a container, or in a folder that belongs to another user. */
const IRREPLACEABLE: ReadonlySet<string> = new Set(["EBUSY", "EACCES", "EPERM"]);

interface Found {
  /** With links resolved. */
  path: string;
  isPlain: boolean;
  uid: number;
  gid: number;
}

async function find(path: string): Promise<Found | undefined> {
  try {
    const target = await realpath(path);
    const stats = await lstat(target);
    return { path: target, isPlain: stats.isFile(), uid: stats.uid, gid: stats.gid };
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
