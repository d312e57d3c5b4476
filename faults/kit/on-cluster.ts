// A scene with a database on an existing Citus cluster (docs/operations/cluster.md) with nodes that
// can be killed:
//   CLUSTER_NODES=10.0.0.1:5432,10.0.0.2:5432,10.0.0.3:5432
//                                  the coordinator, then at least two other nodes
//   CLUSTER_KILL='ssh-kill.sh'     a command that kills a node (last argument: `host:port`)
//   CLUSTER_START='ssh-start.sh'   a command that starts the node again (same argument)
//   CLUSTER_SPARE=10.0.0.4:5432    a node that is not in the cluster, for the fault that adds one
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';
import { createOnCluster, databaseUrlOn, runStatements } from '#testing/setup/cluster.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type FaultResult,
  findDeliveryProblems,
  type Scene,
  withScene,
} from '../kit.ts';

const DATABASE = `faults_${process.pid}`;
/** Enough shards for some of them to move to an added node. */
const SHARDS = 16;

/** Returns the addresses of the nodes as `host:port`, the coordinator first. */
export function clusterNodes(): string[] {
  const nodes = (process.env.CLUSTER_NODES ?? '').split(',').filter(Boolean);
  if (nodes.length < 3)
    throw new Error('CLUSTER_NODES must name a coordinator and at least two nodes');
  return nodes;
}

export function spareNode(): string {
  const spareServer = process.env.CLUSTER_SPARE;
  if (!spareServer) throw new Error('CLUSTER_SPARE must name the node to add');
  return spareServer;
}

/**
 * Kills or starts the node by the operator's own command. This process continues concurrently
 * because it runs the relay.
 */
export async function runNodeCommand(
  command: 'CLUSTER_KILL' | 'CLUSTER_START',
  node: string,
): Promise<void> {
  const script = process.env[command];
  if (!script) throw new Error(`${command} must be set to the command`);
  // Output is ignored because the started server keeps it open.
  const child = spawn('/bin/sh', ['-c', `${script} "$1"`, 'sh', node], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} failed for ${node}`);
}

const serverOf = (node: string) => `postgres://sendloom@${node}/postgres`;

/**
 * Runs the fault on a new database that spans the nodes. The `spareServer` node gets an empty
 * database. Afterwards the databases are dropped.
 */
export async function runOnCluster(
  play: (scene: Scene) => Promise<FaultResult>,
  spareServer?: string,
): Promise<FaultResult> {
  const nodes = clusterNodes();
  const servers = nodes.map(serverOf);
  await createOnCluster(servers, DATABASE);
  const [first = ''] = servers;
  await runStatements(first, `alter database ${DATABASE} set citus.shard_count = ${SHARDS}`);
  if (spareServer) {
    await runStatements(
      serverOf(spareServer),
      `drop database if exists ${DATABASE} with (force)`,
      `create database ${DATABASE}`,
    );
    await runStatements(databaseUrlOn(serverOf(spareServer), DATABASE), 'create extension citus');
  }
  const allServers = spareServer ? [...servers, serverOf(spareServer)] : servers;
  const database = {
    url: databaseUrlOn(first, DATABASE),
    cluster: mkdtempSync(join(tmpdir(), 'sendloom-no-cluster-')),
    stop: async () => {
      for (const url of allServers) {
        await runStatements(url, `drop database if exists ${DATABASE} with (force)`);
      }
    },
  };
  return withScene(play, {}, { database });
}

/**
 * Creates accounts until each node except the coordinator has at least two. Each account has a
 * message to all of its subscribers. Returns the messages by node.
 */
export async function startCampaignsOnNodes(
  scene: Scene,
  subscriberCount: number,
): Promise<Map<string, StartedCampaign[]>> {
  const byNode = new Map<string, StartedCampaign[]>(
    clusterNodes()
      .slice(1)
      .map((node) => [node, []]),
  );
  const fewest = () => Math.min(...[...byNode.values()].map(({ length }) => length));
  while (fewest() < 2) {
    const campaign = await scene.campaign(subscriberCount);
    byNode.get(await findNode(scene.db, campaign.accountId))?.push(campaign);
  }
  return byNode;
}

export async function findNode(db: Db, accountId: number): Promise<string> {
  const { rows } = await sql<{ node: string }>`
    select n.nodename || ':' || n.nodeport as node from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = get_shard_id_for_distribution_column('accounts', ${accountId}::bigint)`.execute(
    db,
  );
  return rows[0]?.node ?? '';
}

/** Measures the longest interval from now on without a message that `isOurs` selects. */
export function watchPauses(scene: Scene, isOurs: (event: { messageId: string }) => boolean) {
  let isEnding = false;
  let [maxPause, last] = [0, performance.now()];
  let acceptedBefore = scene.relay.accepted.length;
  const watching = (async () => {
    for (; !isEnding; await sleep(20)) {
      const arrivedMessages = scene.relay.accepted.slice(acceptedBefore);
      acceptedBefore += arrivedMessages.length;
      if (!arrivedMessages.some(isOurs)) continue;
      const now = performance.now();
      maxPause = Math.max(maxPause, now - last);
      last = now;
    }
  })();
  return {
    /** Returns the seconds of the longest interval so far, including the current one. */
    async end(): Promise<number> {
      isEnding = true;
      await watching;
      return Math.max(maxPause, performance.now() - last) / 1_000;
    },
  };
}

/**
 * Checks that no campaign lost a recipient or sent to a recipient twice; returns the problems and
 * the sums.
 */
export async function verifyCampaigns(scene: Scene, campaigns: readonly StartedCampaign[]) {
  const problems: string[] = [];
  let [accepted, unknown] = [0, 0];
  for (const campaign of campaigns) {
    problems.push(...(await findDeliveryProblems(scene.db, campaign, scene.log())));
    const { counts } = await readDeliveryOf(scene.db, campaign);
    accepted += counts.accepted;
    unknown += counts.unknown;
  }
  const duplicateCount = scene.log().length - new Set(scene.log()).size;
  if (duplicateCount > 0) problems.push(`${duplicateCount} copies sent twice`);
  return { problems, accepted, unknown, twice: duplicateCount };
}
