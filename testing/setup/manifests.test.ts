// The Helm chart and compose.yaml are valid, and everything that they reference exists.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { MEMORY_LIMITS, type Role, ROLES } from '#main/role.ts';
import { loadConfig } from '#platform/server/config.ts';
import {
  CHART_FILE,
  CHART_RENDERINGS,
  renderChart,
  renderNote,
  type ChartRendering,
} from '../../scripts/chart.ts';
import { findManifestViolations, readManifests } from './manifests.ts';

const ROOT = join(import.meta.dirname, '../..');

type Labels = Record<string, string>;
type Probe = { httpGet: { path: string; port: string } };
type Container = {
  args: string[];
  image: string;
  env?: { name: string; value: string }[];
  ports?: { name: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  resources: { limits: { memory: string } };
} & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>;
type PodSpec = { containers: [Container]; volumes: { name: string }[]; securityContext: object };
type Workload = {
  metadata: { name: string; annotations: Labels };
  spec: {
    replicas?: number;
    selector?: { matchLabels: Labels };
    template: { metadata: { labels: Labels; annotations: Labels }; spec: PodSpec };
  };
};
type Service = {
  metadata: { name: string };
  spec: { type?: string; selector: Labels; ports: { port: number; targetPort: string }[] };
};

function rendering({ file }: ChartRendering) {
  const manifests = readManifests(join(ROOT, file));
  const ofKind = <T>(kind: string) =>
    manifests.filter((manifest) => manifest.kind === kind).map((manifest) => manifest as T);
  return { file, manifests, ofKind, deployments: ofKind<Workload>('Deployment') };
}
const renderings = CHART_RENDERINGS.map(rendering);
const [defaults, allOptions] = renderings as [
  ReturnType<typeof rendering>,
  ReturnType<typeof rendering>,
];
const ofKind = defaults.ofKind;

/**
 * Kinds of the Gateway API and the Prometheus operator, which have no types published by
 * Kubernetes.
 */
const UNPUBLISHED_KINDS = ['HTTPRoute', 'PodMonitor'];

test('the rendered manifests are current', async () => {
  for (const rendering of CHART_RENDERINGS) {
    const committedText = readFileSync(join(ROOT, rendering.file), 'utf8');
    const header = renderNote();
    expect(committedText.slice(0, header.length), 'run `node scripts/render-chart.ts`').toBe(
      header,
    );
    const renderedText = await renderChart(rendering);
    if (renderedText !== undefined) expect(committedText.slice(header.length)).toBe(renderedText);
  }
  const chart = parse(readFileSync(join(ROOT, CHART_FILE), 'utf8')) as Labels;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Labels;
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

test('every manifest conforms to the types that Kubernetes publishes', () => {
  expect(defaults.manifests.length).toBeGreaterThan(10);
  for (const { manifests } of renderings) {
    const typedManifests = manifests.filter(({ kind }) => !UNPUBLISHED_KINDS.includes(kind));
    expect(typedManifests.flatMap((manifest) => findManifestViolations(manifest))).toEqual([]);
  }
  // The check reports an invalid manifest.
  const [deployment] = ofKind<{ spec: Record<string, unknown> }>('Deployment');
  const invalid = {
    ...deployment,
    spec: { ...deployment?.spec, replicas: 'two', replica: 2, selector: undefined },
  };
  expect(findManifestViolations({ ...invalid })).toEqual([
    'apps/v1 Deployment.spec.selector is missing.',
    'apps/v1 Deployment.spec.replicas must be of type number.',
    'apps/v1 Deployment.spec.selector must be an object.',
    'apps/v1 Deployment.spec.replica: V1DeploymentSpec has no such field.',
  ]);
  expect(findManifestViolations({ apiVersion: 'apps/v2', kind: 'Deployment' })).toHaveLength(1);
});

test.each(renderings)(
  'each role has a deployment with probes and a disruption budget ($file)',
  ({ deployments, ofKind: all }) => {
    const roles = deployments.map(({ spec }) => spec.template.spec.containers[0].args.at(-1));
    expect(roles.toSorted()).toEqual([...ROLES].toSorted());
    const budgets = all<Workload>('PodDisruptionBudget').map(({ spec }) => spec.selector);
    for (const { spec } of deployments) {
      const { labels } = spec.template.metadata;
      expect(spec.selector?.matchLabels).toEqual(labels);
      expect(budgets).toContainEqual({ matchLabels: labels });
      const [container] = spec.template.spec.containers;
      const ports = container.ports?.map(({ name }) => name) ?? [];
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path, port } = container[probe].httpGet;
        expect(['/health', '/ready']).toContain(path);
        expect(ports).toContain(port);
      }
      // Kubernetes restarts a blocked process, but not a process that is only not ready.
      expect(container.livenessProbe.httpGet.path).toBe('/health');
      // The role restarts before its container is killed.
      const limit = Number.parseInt(container.resources.limits.memory, 10);
      expect(limit).toBeGreaterThan(MEMORY_LIMITS[container.args.at(-1) as Role]);
    }
  },
);

test.each(renderings)(
  'all pods run one image without privileges and define the volumes that they mount ($file)',
  ({ deployments, ofKind: all }) => {
    const workloads = [...deployments, ...all<Workload>('Job')];
    const pods = workloads.map(({ spec }) => spec.template.spec);
    expect(pods).toHaveLength(4);
    expect(new Set(pods.map(({ containers }) => containers[0].image)).size).toBe(1);
    for (const { containers, volumes, securityContext } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      expect(containers[0]).toMatchObject({
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      });
      const mountedNames = containers[0].volumeMounts.map(({ name }) => name);
      expect(mountedNames.toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
    }
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain('USER 10001:10001');
  },
);

test.each(renderings)(
  'services, policies and routes reference existing pods and ports ($file)',
  ({ deployments, ofKind: all }) => {
    const portsOf = (labels: Labels) =>
      deployments
        .filter(({ spec }) =>
          Object.entries(labels).every(
            ([name, value]) => spec.template.metadata.labels[name] === value,
          ),
        )
        .map(({ spec }) => spec.template.spec.containers[0].ports?.map(({ name }) => name) ?? []);
    const services = all<Service>('Service');
    for (const { spec } of services) {
      const [ports, ...furtherPods] = portsOf(spec.selector);
      expect(furtherPods).toEqual([]);
      for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
    }
    type Policy = {
      spec: {
        podSelector: { matchLabels: Labels };
        ingress: { ports: { port: string }[]; from?: unknown[] }[];
      };
    };
    const openPorts = new Set<string>();
    for (const { spec } of all<Policy>('NetworkPolicy')) {
      const pods = portsOf(spec.podSelector.matchLabels);
      expect(pods.length).toBeGreaterThan(0);
      for (const { port } of spec.ingress.flatMap(({ ports }) => ports)) {
        for (const ports of pods) expect(ports).toContain(port);
        openPorts.add(port);
      }
    }
    // The policies cover every port of every pod.
    expect([...openPorts].toSorted()).toEqual([...new Set(portsOf({}).flat())].toSorted());
    type IngressRoute = { spec: { rules: { backendRefs: { name: string; port: number }[] }[] } };
    for (const { name, port } of all<IngressRoute>('HTTPRoute').flatMap(({ spec }) =>
      spec.rules.flatMap(({ backendRefs }) => backendRefs),
    )) {
      const service = services.find(({ metadata }) => metadata.name === name);
      expect(service?.spec.ports.map((port) => port.port)).toContain(port);
    }
  },
);

test('migrations run before a new version, and changed settings restart all pods', () => {
  for (const { ofKind: all, deployments } of renderings) {
    const [job] = all<Workload>('Job');
    type ChartSettings = { metadata: { name: string; annotations?: Labels }; data: Labels };
    const [settings, copy] = all<ChartSettings>('ConfigMap').toSorted(
      (a, b) => a.metadata.name.length - b.metadata.name.length,
    );
    expect(copy?.data).toEqual(settings?.data);
    const hook = 'helm.sh/hook';
    for (const manifest of [job, copy]) {
      expect(manifest?.metadata.annotations?.[hook]).toBe('pre-install,pre-upgrade');
    }
    const weight = (manifest: { metadata: { annotations?: Labels } } | undefined) =>
      Number(manifest?.metadata.annotations?.[`${hook}-weight`]);
    expect(weight(copy)).toBeLessThan(weight(job));
    const checksums = deployments.map(
      ({ spec }) => spec.template.metadata.annotations['checksum/settings'],
    );
    expect(new Set(checksums).size).toBe(1);
  }
  const sumOf = ({ deployments }: typeof allOptions) =>
    deployments[0]?.spec.template.metadata.annotations['checksum/settings'];
  expect(sumOf(allOptions)).toMatch(/^[0-9a-f]{64}$/);
  expect(sumOf(allOptions)).not.toBe(sumOf(defaults));
});

test('the number of pods follows the load and the SMTP ports are reachable if all options are set', () => {
  type Scaler = { spec: { scaleTargetRef: { name: string }; minReplicas: number } };
  const scalers = allOptions.ofKind<Scaler>('HorizontalPodAutoscaler');
  expect(scalers.map(({ spec }) => spec.scaleTargetRef.name).toSorted()).toEqual(
    allOptions.deployments.map(({ metadata }) => metadata.name).toSorted(),
  );
  // A fixed number would reset the number of pods with each upgrade.
  expect(allOptions.deployments.map(({ spec }) => spec.replicas)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const smtp = allOptions
    .ofKind<Service>('Service')
    .find(({ spec }) => spec.type === 'LoadBalancer');
  expect(smtp?.spec.ports.map(({ port }) => port)).toEqual([25, 587, 465]);
  const [web] = allOptions.deployments;
  const { env = [], image } = web?.spec.template.spec.containers[0] ?? {};
  expect(image).toContain('@sha256:');
  const [{ data } = { data: {} }] = allOptions.ofKind<{ data: Labels }>('ConfigMap');
  const containerEnv = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const config = loadConfig({ ...settingsOf(data), ...containerEnv });
  expect(config).toMatchObject({
    returnPath: { host: '0.0.0.0', port: 2525 },
    submission: { host: '0.0.0.0', port: 2587, tlsPort: 2465 },
  });
  type Monitor = { spec: { podMetricsEndpoints: { port: string }[] } };
  const [monitor] = allOptions.ofKind<Monitor>('PodMonitor');
  expect(monitor?.spec.podMetricsEndpoints).toEqual([{ port: 'metrics', interval: '15s' }]);
  expect(web?.spec.template.metadata.annotations).not.toHaveProperty('prometheus.io/scrape');
});

const SECRETS = {
  SECRET: 'x'.repeat(32),
  DATABASE_URL: 'postgres://sendloom@database/sendloom',
  SMTP_URL: 'smtp://relay',
  FILES_ACCESS_KEY: 'key',
  FILES_SECRET_KEY: 'key',
};

/**
 * Returns the environment as the product reads it: each variable NAME_FILE becomes NAME with the
 * content of the file, and each reference to a shell variable becomes its default.
 */
function settingsOf(values: Record<string, string>): Record<string, string> {
  const { PUBLIC_URL, ...rest } = values;
  const plainSettings = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      const setting = /^(.+)_FILE$/.exec(name)?.[1];
      if (setting === undefined) return [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')];
      expect(Object.keys(SECRETS), `${name} is not a known secret`).toContain(setting);
      return [setting, SECRETS[setting as keyof typeof SECRETS]];
    }),
  );
  return { ...plainSettings, PUBLIC_URL: PUBLIC_URL?.replace(/^\$\{\w+:-(.*)\}$/, '$1') ?? '' };
}

test('the manifests’ settings are valid and sufficient for production', () => {
  const [{ data } = { data: {} }] = ofKind<{ data: Record<string, string> }>('ConfigMap');
  const config = loadConfig(settingsOf(data));
  expect(config).toMatchObject({ isProduction: true, metrics: { host: '0.0.0.0', port: 9464 } });
  expect(config.files.kind).toBe('s3');
  const variables = readFileSync(join(ROOT, 'platform/server/environment.ts'), 'utf8');
  for (const name of Object.keys(settingsOf(data))) expect(variables).toContain(`  ${name}: `);
});

const stringsOf = (values: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));

test('compose.yaml runs each role of the image, with secrets in files', () => {
  type Service = {
    command?: string[];
    /** Null if the value comes from the shell. */
    environment: Record<string, string | null>;
    secrets: string[];
    mem_limit?: string;
    logging?: { options: Record<string, string> };
  };
  const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
  };
  const { database, ...ourServices } = compose.services;
  expect(Object.keys(ourServices).toSorted()).toEqual(['backup', 'sendloom', ...ROLES].toSorted());
  for (const service of Object.values(compose.services)) {
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.logging?.options).toEqual({ 'max-size': '20m', 'max-file': '5' });
  }
  // The role restarts before its container is killed.
  for (const role of ROLES) {
    expect(Number.parseInt(ourServices[role]?.mem_limit ?? '', 10)).toBeGreaterThan(
      MEMORY_LIMITS[role],
    );
  }
  const variables = readFileSync(join(ROOT, 'platform/server/environment.ts'), 'utf8');
  const secretsScript = readFileSync(join(ROOT, 'scripts/container-secrets.sh'), 'utf8');
  for (const [name, service] of Object.entries(ourServices)) {
    if (name in MEMORY_LIMITS) expect(service.command).toEqual(['start', '--roles', name]);
    for (const secret of service.secrets) {
      expect(secretsScript).toContain(compose.secrets[secret]?.file.replace('./', ''));
    }
    for (const variable of Object.keys(settingsOf(stringsOf(service.environment)))) {
      expect(variables).toContain(`  ${variable}: `);
    }
    for (const [variable, value] of Object.entries(stringsOf(service.environment))) {
      if (!variable.endsWith('_FILE')) continue;
      expect(service.secrets).toContain(value.replace('/run/secrets/', ''));
    }
  }
  expect(database?.secrets).toEqual(['database-password']);
});

test('the compose.yaml backup runs daily at 02:00 UTC, even after a failed backup', () => {
  const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: { backup: { command: [string] } };
  };
  const script = compose.services.backup.command[0].replaceAll('$$', '$');
  const calls = (now: string, code: number) => {
    const wrappedScript = `
      date() { case "$2" in +%s) command date -u -d '${now}' +%s;; *) command date -u -d '${now}' "$2";; esac; }
      count=0
      sleep() { echo "sleep $1"; count=$((count + 1)); [ $count -lt 3 ] || exit 0; }
      node() { echo "$@"; return ${code}; }
      ${script}`;
    return execFileSync('sh', ['-c', wrappedScript], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split('\n');
  };
  const run = 'scripts/run.mjs backup /backups/Mon';
  const minute = 'sleep 60';
  expect(calls('2026-01-05T01:59:00Z', 0)).toEqual([minute, run, minute, run, minute]);
  expect(calls('2026-01-05T02:00:00Z', 1)).toEqual([
    ...['sleep 86400', run, 'sleep 86400', run, 'sleep 86400'],
  ]);
});
