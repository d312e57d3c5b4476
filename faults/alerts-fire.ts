// 37: each monitored part is really stopped; Prometheus must fire its alert and resolve it after
// the part is started again. It uses the shipped rules, with seconds instead of minutes. Needs
// `prometheus` in PATH, or its path in PROMETHEUS.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { findFreePort } from '#main/prepare.ts';
import { ROLES, type Role } from '#main/role.ts';
import { diskFiles } from '#platform/server/files/files.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { writeBackup } from '#platform/server/backup/write.ts';
import {
  type FaultTest,
  kill,
  readPostmasterPid,
  type Scene,
  SECRET,
  stop,
  waitUntil,
  withScene,
} from './kit.ts';
import { startRole } from './kit/roles.ts';

const RULES = join(import.meta.dirname, '../docs/operations/monitoring/alerts.yml');
const HOST = '127.0.0.1';
/** Time for an alert to fire or to end: scrapes and evaluations are a second apart. */
const MAX_ALERT_SECONDS = 60;

type Ports = Record<Role, number>;
type AlertFault = {
  alert: string;
  /** A label value that the alert must have. */
  names?: string;
  stop(): Promise<unknown>;
  restore(): Promise<unknown>;
};

export const fault: FaultTest = {
  number: 37,
  title: 'each alert fires when its part is stopped, and ends when the part is running again',
  isOptIn: true,
  run: (print) =>
    withScene(async (scene) => {
      const ports = Object.fromEntries(
        await Promise.all(ROLES.map(async (role) => [role, await findFreePort(0, HOST)] as const)),
      ) as Ports;
      const roles = new Map<Role, ChildProcess>();
      const start = async (role: Role) =>
        void roles.set(role, await startRole(scene, role, envOf(scene, ports[role])));
      for (const role of ROLES) await start(role);
      const prometheus = await startPrometheus(scene, ports);
      const problems: string[] = [];
      try {
        for (const alertFault of actsOf(scene, ports, prometheus, roles, start)) {
          problems.push(...(await play(alertFault, prometheus)));
          print(
            `${alertFault.alert}: ${problems.length === 0 ? 'fired and ended' : problems.join('; ')}`,
          );
        }
        return { problems, facts: 'read from the API of Prometheus' };
      } finally {
        await stop(prometheus.child);
        for (const role of roles.values()) await stop(role);
      }
    }),
};

const envOf = ({ relay }: Scene, port: number): NodeJS.ProcessEnv => ({
  PORT: '0',
  METRICS_PORT: String(port),
  SMTP_URL: `${relay.url}?tls=none&connections=2`,
  LOG_LEVEL: 'silent',
});

type Prometheus = { child: ChildProcess; url: string; setTargets(roles: readonly Role[]): void };

async function startPrometheus({ folder }: Scene, ports: Ports): Promise<Prometheus> {
  const file = (name: string) => join(folder, name);
  const rules = readFileSync(RULES, 'utf8')
    .replaceAll(/for: \d+[smhd]/g, 'for: 2s')
    .replaceAll(/\[\d+m\]/g, '[15s]');
  writeFileSync(file('alerts.yml'), rules);
  const setTargets = (roles: readonly Role[]) =>
    writeFileSync(
      file('targets.json'),
      JSON.stringify([{ targets: roles.map((role) => `${HOST}:${ports[role]}`) }]),
    );
  setTargets(ROLES);
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      {
        job_name: 'sendloom',
        file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(file('prometheus.yml'), JSON.stringify(config));
  const port = await findFreePort(0, HOST);
  const child = spawn(
    process.env.PROMETHEUS ?? 'prometheus',
    [
      `--config.file=${file('prometheus.yml')}`,
      `--storage.tsdb.path=${file('prometheus')}`,
      `--web.listen-address=${HOST}:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  await new Promise<void>((settle, refuse) => {
    child.once('spawn', settle);
    child.once('error', (error) =>
      refuse(new Error(`Prometheus cannot be started (PROMETHEUS): ${error.message}`)),
    );
  });
  const url = `http://${HOST}:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntil(isReady, MAX_ALERT_SECONDS))) throw new Error('Prometheus is not ready');
  return { child, url, setTargets };
}

type Alert = { state: string; labels: Record<string, string> };

async function isFiring({ url }: Prometheus, { alert, names }: AlertFault): Promise<boolean> {
  const response = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
    data: { alerts: Alert[] };
  };
  return response.data.alerts.some(
    ({ state, labels }) =>
      state === 'firing' &&
      labels.alertname === alert &&
      (names === undefined || Object.values(labels).includes(names)),
  );
}

async function play(alertFault: AlertFault, prometheus: Prometheus): Promise<string[]> {
  if (
    !(await waitUntil(async () => !(await isFiring(prometheus, alertFault)), MAX_ALERT_SECONDS))
  ) {
    return [`${alertFault.alert} fires before anything is stopped`];
  }
  await alertFault.stop();
  const hasFired = await waitUntil(() => isFiring(prometheus, alertFault), MAX_ALERT_SECONDS);
  await alertFault.restore();
  if (!hasFired) return [`${alertFault.alert} did not fire within ${MAX_ALERT_SECONDS} s`];
  const hasEnded = await waitUntil(
    async () => !(await isFiring(prometheus, alertFault)),
    MAX_ALERT_SECONDS,
  );
  return hasEnded ? [] : [`${alertFault.alert} did not end within ${MAX_ALERT_SECONDS} s`];
}

/** Returns the time of a backup that is older than the alert allows. */
const outdatedTime = () => new Date(Date.now() - 27 * 3_600_000).toISOString();

function actsOf(
  scene: Scene,
  ports: Ports,
  prometheus: Prometheus,
  roles: Map<Role, ChildProcess>,
  start: (role: Role) => Promise<void>,
): AlertFault[] {
  const byKill = (role: Role) => ({
    stop: () => kill(roles.get(role) as ChildProcess),
    restore: () => start(role),
  });
  const { folder, running } = scene;
  const database = {
    stop: async () => void process.kill(readPostmasterPid(scene), 'SIGKILL'),
    restore: async () => void (running.server = await startEmbeddedPostgres({ folder })),
  };
  const source = {
    databaseUrl: running.server.url,
    secret: SECRET,
    files: diskFiles(join(folder, 'files')),
  };
  const backUp = () =>
    writeBackup(source, join(folder, 'backup'), { connections: 1, print: () => {} });
  return [
    { alert: 'SendloomRoleDown', names: `${HOST}:${ports.web}`, ...byKill('web') },
    { alert: 'SendloomNothingDue', ...byKill('worker') },
    {
      alert: 'SendloomRoleMissing',
      names: 'sender',
      stop: async () => prometheus.setTargets(['web', 'worker']),
      restore: async () => prometheus.setTargets(ROLES),
    },
    { alert: 'SendloomDatabaseAway', names: `${HOST}:${ports.web}`, ...database },
    { alert: 'SendloomRoleNotReady', names: 'worker', ...database },
    {
      alert: 'SendloomNoRelayReady',
      stop: async () => {
        await scene.relay.stop();
        await scene.campaign(20);
      },
      restore: () => scene.relay.listen(),
    },
    {
      alert: 'SendloomBackupOld',
      stop: () =>
        sql`insert into instance_settings (key, value, modified_at)
        values ('last_backup', ${JSON.stringify({ at: outdatedTime() })}, now())`.execute(scene.db),
      restore: backUp,
    },
  ];
}
