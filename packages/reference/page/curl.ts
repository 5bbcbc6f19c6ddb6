import { FORM_MEDIA_TYPE } from "@sabika/protocol";
import { DOOR_CONTRACTS } from "../door_contracts.ts";
import type { Operation } from "../operation.ts";
import { exampleId } from "./example_id.ts";

/** Shell functions that the examples use, for bash and zsh. */
export const SHELL_SETUP = String.raw`KIT=.sabika/partners/demo
field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p"; }
BASE=$(field base_url < $KIT/partner.json)
CLIENT=$(field client_id < $KIT/partner.json)
SECRET=$(field client_secret < $KIT/partner.json)
call() { curl -sS --fail-with-body --cacert $KIT/ca.crt --cert $KIT/client.crt --key $KIT/client.key "$@"; echo; }
TOKEN=$(call $BASE/oauth/token -d grant_type=client_credentials -d client_id=$CLIENT \
  --data-urlencode "client_secret=$SECRET" | field access_token)`;

/** The shell function for writes. */
export const SHELL_POST = String.raw`post() {
  call "$BASE$1" -d "$2" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: ${"$"}{KEY:-$(openssl rand -hex 16)}" "${"$"}{@:3}"
}`;

/** The shell functions for signed writes: a detached JWS over five lines, made by openssl. */
export const SHELL_SIGN = String.raw`base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
raw_signature() {
  openssl asn1parse -genstr "FORMAT:HEX,OCT:$(openssl asn1parse -inform DER | sed -n 's/.*INTEGER *://p' |
    while read -r number; do printf '%64s' "$number" | tr ' ' 0; done)" -noout -out - | tail -c 64
}
signed_post() {
  local time=$(date +%s) nonce=$(openssl rand -hex 16) header hash signature
  header=$(printf '{"alg":"ES256","b64":false,"crit":["b64"]}' | base64url)
  hash=$(printf '%s' "$2" | openssl dgst -sha256 -r | cut -c 1-64)
  signature=$(printf '%s.POST\n%s\n%s\n%s\n%s' "$header" "$BASE$1" "$hash" "$time" "$nonce" |
    openssl dgst -sha256 -sign $KIT/signing.key | raw_signature | base64url)
  post "$1" "$2" -H "X-Timestamp: $time" -H "X-Nonce: $nonce" -H "X-JWS-Signature: $header..$signature"
}`;

/** Makes a command that calls the operation with the shell functions above. */
export function curlOf(operation: Operation): string {
  const { method, door, request } = operation;
  const { token, isSigned } = DOOR_CONTRACTS[door];
  const path = operation.path.replace("{id}", exampleId(operation.path));
  const bearer = token === "none" ? "" : ` -H "Authorization: Bearer $TOKEN"`;
  if (method === "GET") return `call $BASE${path}${bearer}`;
  if (request === undefined) return `call -X POST $BASE${path}${bearer}`;
  if (request.mediaType === FORM_MEDIA_TYPE) {
    const first = "token" in (request.example as object)
      ? `--data-urlencode "token=$TOKEN"`
      : "-d grant_type=client_credentials";
    return `call $BASE${path} ${first} -d client_id=$CLIENT \\
  --data-urlencode "client_secret=$SECRET"`;
  }
  return `${isSigned ? "signed_post" : "post"} ${path} '${JSON.stringify(request.example)}'`;
}
