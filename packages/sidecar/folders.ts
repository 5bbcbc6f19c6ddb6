import { join } from "node:path";

/** Returns the paths of the sidecar's folders and files below `folder`. */
export function sidecarFolders(folder: string) {
  return {
    /** Envoy's configuration, rendered. */
    configuration: join(folder, "envoy.yaml"),
    /** A small file for each secret, which says in which set the secret is; replaced whole. */
    sds: join(folder, "sds"),
    /** The sets of secrets, with a folder for each version. */
    sets: join(folder, "sets"),
    /** The list of instances; replaced whole. */
    instances: join(folder, "eds", "service.yaml"),
    /** The HTTP filter that all filter chains share. */
    http: join(folder, "ecds", "http.yaml"),
    /** The partners' listener with its filter chains; replaced whole. */
    listener: join(folder, "lds", "partners.json"),
    /** The registered addresses that the filter chains were made from. */
    addresses: join(folder, "addresses.json"),
  };
}

/** Returns the path of Envoy's admin socket. */
export function adminSocket(socketFolder: string): string {
  return join(socketFolder, "admin.sock");
}
