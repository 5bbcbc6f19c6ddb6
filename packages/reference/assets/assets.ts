import { readFileSync } from "node:fs";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** The page's style. */
export const STYLE: string = read("reference.css");
/** The page's scripts, without which it is complete. */
export const SCRIPTS: readonly string[] = [read("copy.js"), read("search.js")];
/** The script of the page's calls in the sandbox. */
export const TRY_SCRIPT: string = read("try.js");
