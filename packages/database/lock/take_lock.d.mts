export declare function takeLock(
  path: string,
): Promise<
  { release(): Promise<void>; holder?: undefined } | { holder: number; release?: undefined }
>;
