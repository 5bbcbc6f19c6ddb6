import { AUDIT_READS } from "./audit.ts";
import { OPERATION_READS } from "./operations.ts";
import { PARTNER_READS } from "./partners.ts";
import type { Read } from "./read.ts";

/** Every `GET` below `/admin/v1` that reads the deployment. */
export const READS: readonly Read[] = [...PARTNER_READS, ...OPERATION_READS, ...AUDIT_READS];
