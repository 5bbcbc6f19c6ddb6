/** A kit that cannot be used; the message names the file or value and says what to do. */
export class KitError extends Error {
  /** The path of the file, or the name of the value and its variable. */
  readonly file: string;
  /** Called by {@link openKit}. */
  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
    this.name = "KitError";
    this.file = file;
  }
}
