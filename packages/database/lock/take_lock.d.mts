/** Takes a lock between processes; returns a function that releases it, or the id of its holder. */
export declare function takeLock(
  path: string,
): Promise<
  { release(): Promise<void>; holder?: undefined } | { holder: number; release?: undefined }
>;
