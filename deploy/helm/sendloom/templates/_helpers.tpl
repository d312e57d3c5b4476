{{- define "sendloom.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The labels of a role's pods, by which services, budgets and policies select them. */}}
{{- define "sendloom.selector" -}}
app.kubernetes.io/name: sendloom
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "sendloom.labels" -}}
app.kubernetes.io/name: sendloom
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The environment of all roles. Values of the Secret are files, and no one of them is in a manifest. */}}
{{- define "sendloom.settings" -}}
PUBLIC_URL: {{ printf "https://%s" .Values.host | quote }}
METRICS_HOST: 0.0.0.0
METRICS_PORT: '9464'
{{- range $name, $key := .Values.secret.keys }}
{{ $name }}_FILE: /secrets/{{ $key }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "sendloom.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "sendloom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "sendloom.mounts" -}}
- name: secrets
  mountPath: /secrets
  readOnly: true
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end -}}

{{- define "sendloom.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .Values.secret.name }}
    defaultMode: 288
- name: data
  emptyDir:
    sizeLimit: 2Gi
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- end -}}

{{- define "sendloom.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
