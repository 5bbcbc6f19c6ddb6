/** The description of the API: every operation, and the documents made from them. */
export { type DocumentSettings, openApiDocument } from "./document/open_api.ts";
export { DOOR_CONTRACTS, type DoorContract, type DoorName } from "./door_contracts.ts";
export type { Operation } from "./operation.ts";
export { LANGUAGES, OPENING, SAMPLES } from "./samples.ts";
export { OPERATION_LIST, type OperationId, OPERATIONS } from "./operations.ts";
export { canBeTried } from "./page/try_form.ts";
export { type ReferencePage, referencePage } from "./page/reference_page.ts";
