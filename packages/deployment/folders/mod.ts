/** A deployment's folders on disk, and its checks of the machine before it starts. */
export { StartError } from "../start_error.ts";
export type { Surroundings } from "../surroundings.ts";
export { checkPort, tryPort } from "./check_port.ts";
export { type DataFolder, openDataFolder } from "./data_folder.ts";
export { isWrongUse, untilInterrupted } from "./interrupted.ts";
export { readdressKits } from "./kits.ts";
