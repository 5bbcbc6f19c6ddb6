/** The operator's command. */
export type { Surroundings } from "./context.ts";
export { application } from "./application.ts";
export { runSabika } from "./run_sabika.ts";
