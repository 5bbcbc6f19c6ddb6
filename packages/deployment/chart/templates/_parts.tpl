{{/* What all parts share. */}}
{{- define "sabika.labels" -}}
app.kubernetes.io/name: sabika
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sabika.selector" -}}
app.kubernetes.io/name: sabika
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sabika.image" -}}
{{ .repository }}@{{ .digest }}
{{- end }}

{{/* The user of the image, as in the containers; files of secrets are root's and the group's to read. */}}
{{- define "sabika.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "sabika.security" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
{{- end }}

{{/* An instance's environment, as packages/deployment/services.ts has it: a test compares them. */}}
{{- define "sabika.serverEnvironment" -}}
- { name: SABIKA_ENVIRONMENT, value: {{ .Values.environment | quote }} }
- { name: SABIKA_BASE_URL, value: {{ .Values.baseUrl | quote }} }
{{ include "sabika.databaseUrl" (dict "root" . "login" "server" "name" "SABIKA_DATABASE_URL" "file" "/var/lib/sabika/secrets/server.url") }}
{{- if .Values.cells.enabled }}
- { name: SABIKA_CELLS_FILE, value: /var/lib/sabika/secrets/server.cells }
- { name: SABIKA_CONTROL_AWAY_SECONDS, value: {{ .Values.cells.controlAwaySeconds | int | quote }} }
{{- include "sabika.revocationsFolder" . }}
- { name: SABIKA_SNAPSHOT_FILE, value: /var/lib/sabika/snapshots/control.snapshot }
{{- end }}
- { name: SABIKA_MASTER_KEY_FILE, value: /var/lib/sabika/secrets/master.key }
- { name: SABIKA_WATCH_LISTEN, value: "0.0.0.0:9464" }
- { name: SABIKA_WATCH_ALLOW_REMOTE, value: "true" }
- { name: SABIKA_ACCESS_LOG, value: refusals }
- { name: UV_THREADPOOL_SIZE, value: "1" }
- { name: NODE_OPTIONS, value: --max-old-space-size=512 }
{{- end }}

{{/* Where a login finds the database: its file, or the cluster's primary, by the login's secret. */}}
{{- define "sabika.databaseUrl" -}}
{{- if .root.Values.database.instances -}}
- { name: DATABASE_LOGIN, valueFrom: { secretKeyRef: { name: {{ index .root.Values.secrets.logins .login }}, key: username } } }
- { name: DATABASE_PASSWORD, valueFrom: { secretKeyRef: { name: {{ index .root.Values.secrets.logins .login }}, key: password } } }
- { name: {{ .name }}, value: "postgres://$(DATABASE_LOGIN):$(DATABASE_PASSWORD)@{{ .root.Release.Name }}-database-rw/sabika?sslmode=verify-full&sslrootcert=/var/lib/sabika/database/ca.crt" }
{{- else -}}
- { name: {{ .name }}_FILE, value: {{ .file }} }
{{- end -}}
{{- end }}

{{/* Where the keys that seal secrets are, if not in master.key. */}}
{{- define "sabika.keyService" -}}
{{- with . -}}
envFrom:
  - secretRef: { name: {{ . }} }
{{- end -}}
{{- end }}

{{- define "sabika.databaseMount" -}}
{{- if .Values.database.instances }}
- { name: database, mountPath: /var/lib/sabika/database, readOnly: true }
{{- end }}
{{- end }}

{{- define "sabika.databaseVolume" -}}
{{- if .Values.database.instances }}
- { name: database, secret: { secretName: {{ .Release.Name }}-database-ca, defaultMode: 288, items: [{ key: ca.crt, path: ca.crt }] } }
{{- end }}
{{- end }}

{{- define "sabika.revocationsFolder" -}}
{{- if .Values.cells.revocationsClaim }}
- { name: SABIKA_REVOCATIONS_FOLDER, value: /var/lib/sabika/revocations }
{{- end }}
{{- end }}

{{- define "sabika.revocationsMount" -}}
{{- if .root.Values.cells.revocationsClaim }}
- { name: revocations, mountPath: /var/lib/sabika/revocations, readOnly: {{ .readOnly }} }
{{- end }}
{{- end }}

{{- define "sabika.revocationsVolume" -}}
{{- with .Values.cells.revocationsClaim }}
- { name: revocations, persistentVolumeClaim: { claimName: {{ . }} } }
{{- end }}
{{- end }}

{{/* What a server keeps of control outlives its container, not its pod. */}}
{{- define "sabika.snapshotMount" -}}
{{- if .Values.cells.enabled }}
- { name: snapshots, mountPath: /var/lib/sabika/snapshots }
{{- end }}
{{- end }}

{{- define "sabika.snapshotVolume" -}}
{{- if .Values.cells.enabled }}
- { name: snapshots, emptyDir: { sizeLimit: 256Mi } }
{{- end }}
{{- end }}

{{- define "sabika.watchProbes" -}}
startupProbe:
  httpGet: { path: /live, port: watch }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /live, port: watch }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /ready, port: watch }
  periodSeconds: 2
  timeoutSeconds: 3
{{- end }}

{{/* The commands that make what Envoy reads of the secret and the settings, in their order. */}}
{{- define "sabika.sidecarSteps" -}}
1-set: [rotate, --server-certificate, /set/server.crt, --server-key, /set/server.key, --partner-ca, /set/partner-ca.crt, --partner-crl, /set/partner.crl, --edge-secret, /set/edge_secret, --settings, /settings/sidecar.yaml]
2-addresses: [addresses, --list, /settings/addresses.yaml, --settings, /settings/sidecar.yaml]
3-render: [render, --settings, /settings/sidecar.yaml]
{{- end }}

{{- define "sabika.sidecarJob" -}}
resources:
  requests: { cpu: 50m, memory: 64Mi }
  limits: { cpu: "1", memory: 256Mi }
securityContext:
  {{- include "sabika.security" . | nindent 2 }}
volumeMounts:
  - { name: set, mountPath: /set, readOnly: true }
  - { name: settings, mountPath: /settings, readOnly: true }
  - { name: sidecar, mountPath: /var/lib/sabika/sidecar }
  - { name: admin, mountPath: /run/sabika/admin }
{{- end }}
