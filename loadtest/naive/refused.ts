/** A refusal, thrown from wherever it is found: the naive way to leave a transaction or a check. */
export class Refused extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 422;
  readonly code: string;

  constructor(status: Refused["status"], code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}
