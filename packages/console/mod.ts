/** The operator's console: pages, made on the server (Decision D83). */
export { createConsole } from "./create_console.tsx";
export type { ConsoleEnv, ConsoleParts, Viewer } from "./call.ts";
