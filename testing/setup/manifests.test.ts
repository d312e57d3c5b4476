// Kubernetes manifests and compose.yaml: everything they reference exists.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { MEMORY_LIMITS, ROLES } from '#main/role.ts';
import { loadConfig, withFileSettings } from '#platform/server/config.ts';
import { manifestBreaches, readManifests } from './manifests.ts';

const ROOT = join(import.meta.dirname, '../..');
const all = readManifests(join(ROOT, 'docs/operations/kubernetes'));

type Labels = Record<string, string>;
type Probe = { httpGet: { path: string; port: string } };
type Container = {
  args: string[];
  image: string;
  ports?: { name: string }[];
  volumeMounts: { name: string; mountPath: string }[];
} & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>;
type PodSpec = { containers: [Container]; volumes: { name: string }[]; securityContext: object };
type Workload = {
  spec: {
    selector?: { matchLabels: Labels };
    template: { metadata: { labels: Labels }; spec: PodSpec };
  };
};

const ofKind = <T>(kind: string) =>
  all.filter(({ manifest }) => manifest.kind === kind).map(({ manifest }) => manifest as T);
const deployments = ofKind<Workload>('Deployment');

test('every manifest is valid by the types that Kubernetes publishes', () => {
  expect(all.length).toBeGreaterThan(8);
  expect(
    all.flatMap(({ file, manifest }) => manifestBreaches(manifest).map((breach) => [file, breach])),
  ).toEqual([]);
  // The check reports an invalid manifest.
  const [one] = ofKind<{ spec: Record<string, unknown> }>('Deployment');
  const spoiled = {
    ...one,
    spec: { ...one?.spec, replicas: 'two', replica: 2, selector: undefined },
  };
  expect(manifestBreaches({ ...spoiled })).toEqual([
    'apps/v1 Deployment.spec.selector is missing.',
    'apps/v1 Deployment.spec.replicas must be of type number.',
    'apps/v1 Deployment.spec.selector must be an object.',
    'apps/v1 Deployment.spec.replica: V1DeploymentSpec has no such field.',
  ]);
  expect(manifestBreaches({ apiVersion: 'apps/v2', kind: 'Deployment' })).toHaveLength(1);
});

test('each role has a deployment with probes that it answers, and a disruption budget', () => {
  const roles = deployments.map(({ spec }) => spec.template.spec.containers[0].args.at(-1));
  expect(roles.toSorted()).toEqual([...ROLES].toSorted());
  const budgets = ofKind<Workload>('PodDisruptionBudget').map(({ spec }) => spec.selector);
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
    // A blocked process is restarted; one that cannot work at the moment is not.
    expect(container.livenessProbe.httpGet.path).toBe('/health');
  }
  const [service] = ofKind<{ spec: { selector: Labels } }>('Service');
  expect(deployments.map(({ spec }) => spec.template.metadata.labels)).toContainEqual(
    service?.spec.selector,
  );
});

test('all deployments run one unprivileged image, with the volumes that they mount', () => {
  const workloads = [...deployments, ...ofKind<Workload>('Job')];
  const pods = workloads.map(({ spec }) => spec.template.spec);
  expect(pods).toHaveLength(4);
  expect(new Set(pods.map(({ containers }) => containers[0].image)).size).toBe(1);
  for (const { containers, volumes, securityContext } of pods) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
    expect(containers[0]).toMatchObject({
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    const mounted = containers[0].volumeMounts.map(({ name }) => name);
    expect(mounted.toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
  }
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  expect(dockerfile).toContain('USER 10001:10001');
});

const SECRETS = {
  SECRET: 'x'.repeat(32),
  DATABASE_URL: 'postgres://sendloom@database/sendloom',
  SMTP_URL: 'smtp://relay',
  FILES_ACCESS_KEY: 'key',
  FILES_SECRET_KEY: 'key',
};

/** The environment as the product reads it, with file contents in place of _FILE names. */
function settingsOf(values: Record<string, string>): Record<string, string> {
  const names = Object.keys(values);
  const { PUBLIC_URL, ...rest } = values;
  const plain = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      const inFile = /^(.+)_FILE$/.exec(name)?.[1];
      if (inFile === undefined) return [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')];
      return [inFile, SECRETS[inFile as keyof typeof SECRETS]];
    }),
  );
  // A remaining name with _FILE is not a setting of the product.
  expect(names.filter((name) => name.endsWith('_FILE') && name in withFileSettings(plain))).toEqual(
    [],
  );
  return { ...plain, PUBLIC_URL: PUBLIC_URL?.replace(/^\$\{\w+:-(.*)\}$/, '$1') ?? '' };
}

test('the manifests set valid settings, sufficient for production', () => {
  const [{ data } = { data: {} }] = ofKind<{ data: Record<string, string> }>('ConfigMap');
  const config = loadConfig(settingsOf(data));
  expect(config).toMatchObject({ isProduction: true, metrics: { host: '0.0.0.0', port: 9464 } });
  expect(config.files.kind).toBe('s3');
  const variables = readFileSync(join(ROOT, 'platform/server/config.ts'), 'utf8');
  for (const name of Object.keys(settingsOf(data))) expect(variables).toContain(`  ${name}: `);
});

const stringsOf = (values: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));

test('compose.yaml runs each role of the image, with secrets in files', () => {
  type Service = {
    command?: string[];
    /** Null: taken from the shell. */
    environment: Record<string, string | null>;
    secrets: string[];
    mem_limit?: string;
    logging?: { options: Record<string, string> };
  };
  const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
  };
  const { database, ...ours } = compose.services;
  expect(Object.keys(ours).toSorted()).toEqual(['backup', 'sendloom', ...ROLES].toSorted());
  for (const service of Object.values(compose.services)) {
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.logging?.options).toEqual({ 'max-size': '20m', 'max-file': '5' });
  }
  // The role restarts before its container is killed.
  for (const role of ROLES) {
    expect(Number.parseInt(ours[role]?.mem_limit ?? '', 10)).toBeGreaterThan(MEMORY_LIMITS[role]);
  }
  const variables = readFileSync(join(ROOT, 'platform/server/config.ts'), 'utf8');
  const made = readFileSync(join(ROOT, 'scripts/container-secrets.sh'), 'utf8');
  for (const [name, service] of Object.entries(ours)) {
    if (name in MEMORY_LIMITS) expect(service.command).toEqual(['start', '--roles', name]);
    for (const secret of service.secrets) {
      expect(made).toContain(compose.secrets[secret]?.file.replace('./', ''));
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

test('the backup of compose.yaml starts at 02:00 UTC, and a failed one does not end the timer', () => {
  const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: { backup: { command: [string] } };
  };
  const script = compose.services.backup.command[0].replaceAll('$$', '$');
  const calls = (now: string, code: number) => {
    const wrapped = `
      date() { case "$2" in +%s) command date -u -d '${now}' +%s;; *) command date -u -d '${now}' "$2";; esac; }
      count=0
      sleep() { echo "sleep $1"; count=$((count + 1)); [ $count -lt 3 ] || exit 0; }
      node() { echo "$@"; return ${code}; }
      ${script}`;
    return execFileSync('sh', ['-c', wrapped], {
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
