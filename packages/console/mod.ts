/** The operator's console: pages of the office, made on the server (Decision D83). */
export { createConsole } from "./create_console.tsx";
export { openPages } from "./open_pages.ts";
export { LANGUAGES, MESSAGES } from "./languages/languages.ts";
export type { ConsoleParts } from "./call.ts";
