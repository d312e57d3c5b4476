// Metrics of every role: readiness, the database and its pool, the disk, the version.
import { listUnreachableNodes } from '../database/across-accounts.sql.ts';
import { type Db, ping, getPool } from '../database/database.ts';
import type { MetricSample } from '../metrics.ts';
import { readDisk, readVersions } from '../process/process-facts.ts';
import { withinTime } from '../time-limit.ts';

/**
 * Shorter than the time limit of a metrics source, so that a database that does not respond is
 * reported as 0.
 */
const PING_MS = 1_500;

export type RoleState = {
  name: string;
  /** Throws with the reason why the role cannot work. */
  check?(): void;
};

/** Samples the role's readiness, which is exported even if the database does not respond. */
export async function sampleReadiness(db: Db, role: RoleState): Promise<MetricSample[]> {
  const isUp = await withinTime(ping(db), PING_MS, 'The database does not respond.').then(
    () => true,
    () => false,
  );
  const labels = { role: role.name };
  return [
    {
      kind: 'gauge',
      name: 'ready',
      help: '1 while the role can work, as /ready reports it',
      values: [{ labels, value: isUp && isAble(role) ? 1 : 0 }],
    },
    {
      kind: 'gauge',
      name: 'database_up',
      help: '1 if the database responded to this process within 1.5 seconds',
      values: [{ value: isUp ? 1 : 0 }],
    },
    {
      kind: 'gauge',
      name: 'build_info',
      help: 'Always 1; the labels are the versions of the product and of Node',
      values: [{ labels: { ...labels, ...readVersions() }, value: 1 }],
    },
  ];
}

function isAble({ check }: RoleState): boolean {
  try {
    check?.();
    return true;
  } catch {
    return false;
  }
}

/** Samples the use of this process's connection pool. */
export async function samplePool(db: Db): Promise<MetricSample[]> {
  const { totalCount, idleCount, waitingCount, options } = getPool(db);
  return [
    {
      kind: 'gauge',
      name: 'database_connections',
      help: 'Connections of this process to the database, by use',
      values: [
        { labels: { is: 'busy' }, value: totalCount - idleCount },
        { labels: { is: 'idle' }, value: idleCount },
      ],
    },
    {
      kind: 'gauge',
      name: 'database_connections_max',
      help: 'Maximum number of connections of this process (DATABASE_CONNECTIONS)',
      values: [{ value: options.max ?? 0 }],
    },
    {
      kind: 'gauge',
      name: 'database_waiting',
      help: 'Work of this process that waits for a connection',
      values: [{ value: waitingCount }],
    },
  ];
}

/** Samples the space on the disk of DATA_DIR; no series if the process has no data folder. */
export async function sampleDisk(): Promise<MetricSample[]> {
  const disk = await readDisk();
  const valueOf = (bytes: number | undefined) => (bytes === undefined ? [] : [{ value: bytes }]);
  return [
    {
      kind: 'gauge',
      name: 'disk_free_bytes',
      help: 'Free space on the disk of DATA_DIR',
      values: valueOf(disk?.free),
    },
    {
      kind: 'gauge',
      name: 'disk_size_bytes',
      help: 'Size of the disk of DATA_DIR',
      values: valueOf(disk?.total),
    },
  ];
}

/** Metrics of the cluster's nodes, if the database is a cluster. */
export async function sampleNodes(db: Db): Promise<MetricSample[]> {
  const awayNodes = await listUnreachableNodes(db);
  return [
    {
      kind: 'gauge',
      name: 'nodes_away',
      help: 'Nodes of the cluster that the coordinator cannot reach',
      values: [{ value: awayNodes.length }],
    },
  ];
}
