/** The operator's command. */
export type { Surroundings } from "./context.ts";
export { runSabika } from "./run_sabika.ts";
