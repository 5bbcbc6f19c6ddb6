import { join } from "node:path";

/** The folders and files of the sidecar in `folder`. */
export function sidecarFolders(folder: string) {
  return {
    /** Envoy's configuration, rendered. */
    configuration: join(folder, "envoy.yaml"),
    /** One small file a secret, saying in which set it lies; replaced whole. */
    sds: join(folder, "sds"),
    /** The sets of secrets, a folder a version. */
    sets: join(folder, "sets"),
    /** The list of instances; replaced whole. */
    instances: join(folder, "eds", "service.yaml"),
    /** What is done with HTTP, once for all filter chains. */
    http: join(folder, "ecds", "http.yaml"),
    /** The partners' listener with its filter chains; replaced whole. */
    listener: join(folder, "lds", "partners.json"),
    /** The registered addresses that the filter chains were made from. */
    addresses: join(folder, "addresses.json"),
  };
}

/** The path of the admin socket. */
export function adminSocket(socketFolder: string): string {
  return join(socketFolder, "admin.sock");
}
