/** The operator's command. */
export type { Surroundings } from "./command/context.ts";
export { runSabika } from "./run_sabika.ts";
