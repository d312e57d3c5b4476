// A restore point: the state to which a server, or all nodes of a cluster together, can be restored
// from their own backups. Also the steps after such a restore (docs/operations/cluster.md).
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { CannotStart } from '../process/cannot-start.ts';
import { isSpread } from './parts.sql.ts';
import * as point from './point.sql.ts';

const POLL_MS = 500;

/**
 * Creates a restore point of this name and waits until all nodes have archived the WAL up to it;
 * until then, a restore to it is not possible. Returns the last file of each node.
 */
export async function makePoint(
  client: pg.Client,
  name: string,
  patienceMs: number,
): Promise<point.OfNode<string>[]> {
  for (const { node, value } of await point.readArchives(client)) {
    if (!value.isEnabled) {
      throw new CannotStart(
        `${node} does not archive its WAL: a restore point needs archive_mode=on there.`,
      );
    }
  }
  await asSuperuser(() => point.createPoint(client, name));
  const files = await point.endFiles(client);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const missing = await missingFile(client, files);
    if (!missing) return files;
    if (performance.now() > deadline) {
      throw new CannotStart(
        `${missing}, so a restore to ${name} is not possible yet: check its archive_command and its log.`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function missingFile(
  client: pg.Client,
  files: readonly point.OfNode<string>[],
): Promise<string | undefined> {
  const archives = await point.readArchives(client);
  for (const { node, value: file } of files) {
    const { lastFile, failedFile } = archives.find((archive) => archive.node === node)?.value ?? {};
    if (lastFile && isUpTo(lastFile, file)) continue;
    return failedFile
      ? `${node} fails to archive ${failedFile}`
      : `${node} has not archived ${file} of its WAL`;
  }
  return undefined;
}

/** WAL file names increase with time; a base backup's name begins with the name of its WAL file. */
function isUpTo(archivedFile: string, file: string): boolean {
  return /^[0-9A-F]{24}/.test(archivedFile) && archivedFile.slice(0, 24) >= file;
}

/**
 * Settles a cluster after its nodes were restored: checks that all nodes are at the same restore
 * point, and commits or rolls back the distributed transactions that the restore left prepared, as
 * the coordinator recorded them. Returns their number; undefined for a single server.
 */
export async function settleNodes(
  client: pg.Client,
  { atAnyPoint = false } = {},
): Promise<number | undefined> {
  if (!(await isSpread(client))) return undefined;
  const nodes = await point.readRestored(client);
  if (!atAnyPoint) requireSamePoint(nodes);
  requireKnownAddresses(nodes);
  const finishedCount = await asSuperuser(() => point.finishPrepared(client));
  const unfinishedNode = (await point.readPrepared(client)).find(({ value }) => value > 0);
  if (unfinishedNode) {
    throw new CannotStart(
      `${unfinishedNode.node} has ${unfinishedNode.value} prepared transactions unknown to the coordinator: check pg_prepared_xacts there.`,
    );
  }
  return finishedCount;
}

/**
 * Refuses a node that is not at the other nodes' restore point: it may belong to the running
 * cluster, and its transactions must not be ended.
 */
function requireSamePoint(nodes: readonly point.OfNode<point.NodeRestoreState>[]): void {
  const points = nodes.map(({ value }) => value.point);
  if (new Set(points).size === 1 && points[0]) return;
  const progress = nodes.map(
    ({ node }, i) => `${node} ${points[i] ? `to ${points[i]}` : 'to no point'}`,
  );
  throw new CannotStart(
    `All nodes of a cluster must be restored to the same point of npm run restore-point, and their addresses set on the coordinator (citus_update_node). The nodes are at: ${progress.join(', ')}.`,
  );
}

/**
 * Refuses unknown addresses: a node that was restored a second time has the other nodes' addresses
 * from the time of its backup.
 */
function requireKnownAddresses(nodes: readonly point.OfNode<point.NodeRestoreState>[]): void {
  const addresses = nodes.map(({ node }) => node).join(', ');
  const misconfiguredNode = nodes.find(({ value }) => value.nodeAddresses.join(', ') !== addresses);
  if (!misconfiguredNode) return;
  throw new CannotStart(
    `${misconfiguredNode.node} has the node addresses ${misconfiguredNode.value.nodeAddresses.join(', ')} instead of ${addresses}: run select start_metadata_sync_to_all_nodes() on the coordinator.`,
  );
}

async function asSuperuser<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message = '' } = error as { code?: string; message?: string };
    if (code === '42501' || message.includes('operation is not allowed')) {
      throw new CannotStart('This needs a PostgreSQL superuser: set one in DATABASE_URL.');
    }
    throw error;
  }
}
