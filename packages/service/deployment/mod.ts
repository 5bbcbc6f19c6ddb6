/** A deployment: how it begins, its keys and its authorities. */
export {
  type AuthorityInForce,
  hasRootKey,
  installIssuingCertificate,
  issueWithRoot,
  listAuthorities,
  moveRoot,
  requestIssuingCertificate,
} from "./authority_operations.ts";
export {
  beginDeployment,
  DATA_VERSION,
  type Deployment,
  DeploymentError,
  openDeployment,
  openOwnDeployment,
  openSecrets,
} from "./deployment.ts";
export { countSealed, resealAll } from "./rotate_master_key.ts";
