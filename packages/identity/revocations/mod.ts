/** Revocations by a second way: signed files in a folder that servers watch (Decision D116). */
export {
  readRevocations,
  type Revocations,
  REVOCATIONS_ENDING,
  writeRevocations,
} from "./revocations.ts";
export { createFileSigner, type FileSigner, openSignedFile } from "./signed_file.ts";
