import { sdsReference } from "./sds_names.ts";
import { type Section, typed } from "./section.ts";

/**
 * Mutual TLS (Spec §5): 1.2 with forward secrecy and authenticated encryption, or 1.3; a client
 * certificate that the operator's CA signed for clients and has not revoked; no session is
 * resumed, so every connection shows its certificate anew.
 *
 * HTTP/1.1 alone is offered: a refusal then always has a body (HTTP/2 resets the stream), and
 * the surface of rapid resets, continuation floods and header compression is not there.
 */
export function downstreamTls(folder: string): Section {
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: typed("envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext", {
      require_client_certificate: true,
      disable_stateless_session_resumption: true,
      disable_stateful_session_resumption: true,
      common_tls_context: {
        alpn_protocols: ["http/1.1"],
        tls_params: {
          tls_minimum_protocol_version: "TLSv1_2",
          tls_maximum_protocol_version: "TLSv1_3",
          cipher_suites: [
            "ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
            "ECDHE-RSA-AES128-GCM-SHA256",
            "ECDHE-RSA-AES256-GCM-SHA384",
            "ECDHE-RSA-CHACHA20-POLY1305",
          ],
          // The first is safe against a later quantum computer; who does not know it takes the next.
          ecdh_curves: ["X25519MLKEM768", "X25519", "P-256"],
        },
        tls_certificate_sds_secret_configs: [sdsReference(folder, "server_certificate")],
        validation_context_sds_secret_config: sdsReference(folder, "partner_ca"),
      },
    }),
  };
}
