export declare function withLock<T>(
  subject: string,
  work: () => Promise<T> | T,
  onWait?: () => void,
): Promise<T>;
