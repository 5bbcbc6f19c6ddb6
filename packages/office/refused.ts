import type { OfficeErrorCode } from "./error_codes.ts";

/** A refusal that any route or page may throw; `app.ts` answers with it as problem+json. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: OfficeErrorCode;
  readonly detail: string | undefined;

  /**
   * @param detail what happened this time, for people; no secret
   * @param options the `cause`, if something was thrown
   */
  constructor(code: OfficeErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? code, options);
    this.code = code;
    this.detail = detail;
  }
}
