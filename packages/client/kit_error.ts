/** A kit that cannot be used; the message names the file and says what to do. */
export class KitError extends Error {
  /** The path of the file. */
  readonly file: string;
  /** Called by {@link openKit}. */
  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
    this.name = "KitError";
    this.file = file;
  }
}
