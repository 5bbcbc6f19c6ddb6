import { chmodSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/**
 * The folder outside the repository where fetched and built programs stay for the next run:
 * `$XDG_CACHE_HOME/sabika`, else `~/.cache/sabika`, else one in the temporary folder.
 *
 * @param name the program and its version, e.g. `envoy-1.40.0`; made when it is not there
 */
export function cacheFolder(name = ""): string {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const root = XDG_CACHE_HOME
    ? join(XDG_CACHE_HOME, "sabika")
    : HOME
    ? join(HOME, ".cache", "sabika")
    : join(tmpdir(), `sabika-cache-${process.getuid?.() ?? 0}`);
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  if (!XDG_CACHE_HOME && !HOME) chmodSync(root, 0o700);
  return folder;
}
