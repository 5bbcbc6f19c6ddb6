import { join } from "node:path";

/** Where everything of a sidecar lies, from its folder. */
export interface SidecarFolders {
  /** Envoy's configuration, rendered. */
  configuration: string;
  /** One small file a secret, saying in which set it lies; replaced whole. */
  sds: string;
  /** The sets of secrets, a folder a version. */
  sets: string;
  /** The list of instances; replaced whole. */
  instances: string;
  /** What is done with HTTP, once for all filter chains. */
  http: string;
  /** The partners' listener with its filter chains; replaced whole. */
  listener: string;
  /** The registered addresses that the filter chains were made from. */
  addresses: string;
}

/** The folders and files of the sidecar in `folder`. */
export function sidecarFolders(folder: string): SidecarFolders {
  return {
    configuration: join(folder, "envoy.yaml"),
    sds: join(folder, "sds"),
    sets: join(folder, "sets"),
    instances: join(folder, "eds", "service.yaml"),
    http: join(folder, "ecds", "http.yaml"),
    listener: join(folder, "lds", "partners.json"),
    addresses: join(folder, "addresses.json"),
  };
}

/** The path of the admin socket. */
export function adminSocket(socketFolder: string): string {
  return join(socketFolder, "admin.sock");
}
