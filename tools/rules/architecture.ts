import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Room } from "./rooms.ts";
import type { Violation } from "./violation.ts";

const PAGE = "ARCHITECTURE.md";
/** A folder with one of these has a purpose to be stated. */
const SOURCE = /^(packages|clients|loadtest|test|tools)\/.*\.(tsx?|mts|mjs|sql|py|go|java)$/;
const FOLDER_ROW = /^\| `((?:packages|clients|loadtest|test|tools|docs)[\w/-]*)` \| ./gm;
const LIST = "(nothing|`\\w+`(?:, `\\w+`)*)";
const ROOM_ROW = new RegExp(`^\\| \`(\\w+)\` \\| \`([\\w/]+)\` \\| ${LIST} \\| ${LIST} \\|$`, "gm");

/**
 * Holds ARCHITECTURE.md to the tree: each folder with source has a row that says what it is for, each
 * row is a folder, and the table of rooms is the one that the import rule checks.
 */
export function checkArchitecture(
  files: readonly SourceFile[],
  rooms: Readonly<Record<string, Room>>,
): Violation[] {
  const text = files.find(({ path }) => path === PAGE)?.text ?? "";
  return [...checkFolders(text, files), ...checkRooms(text, rooms)];
}

function checkFolders(text: string, files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const stated = new Set<string>();
  for (const match of text.matchAll(FOLDER_ROW)) {
    const folder = match[1]!;
    stated.add(folder);
    if (folders.has(folder)) continue;
    const line = text.slice(0, match.index).split("\n").length;
    found.push({ path: PAGE, line, message: `there is no folder ${folder}` });
  }
  const withSource = files.filter(({ path }) => SOURCE.test(path)).map(({ path }) =>
    folderOf(path)
  );
  for (const folder of new Set(withSource)) {
    if (stated.has(folder)) continue;
    found.push({ path: PAGE, line: 1, message: `has no row that says what ${folder} is for` });
  }
  return found;
}

function checkRooms(text: string, rooms: Readonly<Record<string, Room>>): Violation[] {
  const right = Object.entries(rooms).map(([name, { folder, imports, tests = [] }]) =>
    `${name} in ${folder} imports ${listOf(imports)}, its tests also ${listOf(tests)}`
  );
  const stated = Array.from(
    text.matchAll(ROOM_ROW),
    ([, name, folder, imports = "", tests = ""]) =>
      `${name} in ${folder} imports ${listOf(namesIn(imports))}, its tests also ` +
      listOf(namesIn(tests)),
  );
  return [
    ...right.filter((row) => !stated.includes(row)).map((row) => `does not say that ${row}`),
    ...stated.filter((row) => !right.includes(row)).map((row) => `says that ${row}`),
  ].map((message) => ({ path: PAGE, line: 1, message: `${message} (tools/rules/rooms.ts)` }));
}

function listOf(names: readonly string[]): string {
  return [...names].sort().join(", ") || "nothing";
}

function namesIn(cell: string): string[] {
  return cell.match(/(?<=`)\w+(?=`)/g) ?? [];
}

/** The folder of a file; of another language's sources, that language's. */
function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return path.startsWith("clients/") ? folder.split("/").slice(0, 2).join("/") : folder;
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
