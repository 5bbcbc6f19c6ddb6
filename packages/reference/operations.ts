import type { Operation } from "./operation.ts";
import { CONNECTING } from "./operations/connecting.ts";
import { CREDENTIALS } from "./operations/credentials.ts";
import { CUSTODY } from "./operations/custody.ts";
import { READING } from "./operations/reading.ts";
import { TRADING } from "./operations/trading.ts";

/** Every endpoint of the service, by its `operationId`. */
export const OPERATIONS = { ...CONNECTING, ...CREDENTIALS, ...TRADING, ...CUSTODY, ...READING };

/** The `operationId` of an operation, the key of `OPERATIONS`. */
export type OperationId = keyof typeof OPERATIONS;

/** `OPERATIONS` as a list, in the order of the reference. */
export const OPERATION_LIST = Object.entries(OPERATIONS) as readonly (readonly [
  OperationId,
  Operation,
])[];
