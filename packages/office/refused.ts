import type { OfficeErrorCode } from "./error_codes.ts";

/** A refusal on its way to the one place that answers it. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: OfficeErrorCode;
  readonly detail: string | undefined;

  /**
   * @param detail what happened this time, for people; no secret
   * @param options what it comes from, if something was thrown
   */
  constructor(code: OfficeErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? code, options);
    this.code = code;
    this.detail = detail;
  }
}
