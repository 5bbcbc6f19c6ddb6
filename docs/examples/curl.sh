# Calls the service with curl and openssl; for bash and zsh. KIT names the kit's folder. The partner's
# page (docs/partner.md) has these functions too, and explains them.
field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p"; }
BASE=$(field base_url < $KIT/partner.json)
CLIENT=$(field client_id < $KIT/partner.json)
SECRET=$(field client_secret < $KIT/partner.json)
call() { curl -sS --fail-with-body --cacert $KIT/ca.crt --cert $KIT/client.crt --key $KIT/client.key "$@"; echo; }
token() {
  call $BASE/oauth/token -d grant_type=client_credentials -d client_id=$CLIENT \
    --data-urlencode "client_secret=$SECRET" | field access_token
}
post() {
  call "$BASE$1" -d "$2" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: ${KEY:-$(openssl rand -hex 16)}" "${@:3}"
}
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
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
}
