/** Returns lines to print, with commands to paste that call the sandbox with curl alone. */
export function curlHints(kitFolder: string, baseUrl: string): string[] {
  return [
    "Call it yourself (the README has the whole flow, signed orders with openssl too):",
    "",
    `KIT=${/^[\w./-]+$/.test(kitFolder) ? kitFolder : `'${kitFolder.replaceAll("'", "'\\''")}'`}`,
    `BASE=${baseUrl}`,
    'call() { curl -sS --cacert "$KIT/ca.crt" --cert "$KIT/client.crt" --key "$KIT/client.key" "$@"; }',
    'call "$BASE/health"',
    'SECRET=$(sed -n \'s/.*"client_secret": "\\(.*\\)".*/\\1/p\' "$KIT/partner.json")',
    'TOKEN=$(call "$BASE/oauth/token" -d grant_type=client_credentials -d client_id=demo \\',
    '  --data-urlencode "client_secret=$SECRET" | sed \'s/.*"access_token":"\\([^"]*\\)".*/\\1/\')',
    'call "$BASE/v1/balances" -H "Authorization: Bearer $TOKEN"',
    'call "$BASE/v1/quotes" -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: $(openssl rand -hex 16)" \\',
    '  -H \'Content-Type: application/json\' -d \'{"side":"buy","gold_grams":1.5}\'',
  ];
}
