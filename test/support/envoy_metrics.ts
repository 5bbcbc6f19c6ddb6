import { each } from "./each.ts";

/** The metrics of Envoy that the dashboard and the alerts may name; a test checks that a real Envoy has them. */
export const ENVOY_METRICS = each(`
  envoy_cluster_membership_healthy envoy_cluster_upstream_cx_destroy_remote_with_active_rq envoy_cluster_upstream_rq_total
  envoy_connection_limit_limited_connections envoy_http_downstream_rq_header_timeout
  envoy_http_downstream_rq_too_large envoy_http_downstream_rq_too_many_premature_resets
  envoy_http_local_rate_limit_enabled envoy_http_local_rate_limit_rate_limited
  envoy_listener_manager_lds_update_rejected
  envoy_listener_ssl_certificate_expiration_unix_time_seconds envoy_listener_ssl_fail_verify_error
  envoy_listener_ssl_fail_verify_no_cert envoy_sds_key_rotation_failed envoy_sds_update_rejected`);
