/** A service as docker-compose.yml has it, as far as we use it. */
export interface ComposeService {
  [member: string]: unknown;
}
