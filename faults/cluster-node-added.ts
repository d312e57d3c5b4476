// 34: a node is added to a cluster and accounts move to it while campaigns are sent: no recipient
// is lost, gets it twice, or becomes unknown. Needs a cluster and a spare node: see
// kit/on-cluster.ts.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';
import {
  type FaultTest,
  type FaultResult,
  type Print,
  type Scene,
  stop,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';
import {
  startCampaignsOnNodes,
  verifyCampaigns,
  watchPauses,
  findNode,
  runOnCluster,
  spareNode,
} from './kit/on-cluster.ts';

const SUBSCRIBERS = Number(process.env.CLUSTER_PEOPLE ?? 6_000);
const PACE = 'connections=4&rate=200';
const REBALANCE_SECONDS = 400;

export const fault: FaultTest = {
  number: 34,
  title: 'a node is added to a cluster and accounts move to it while sending',
  isOptIn: true,
  run(print) {
    const newNode = spareNode();
    return runOnCluster((scene) => play(scene, newNode, print), newNode);
  },
};

async function play(scene: Scene, newNode: string, print: Print): Promise<FaultResult> {
  const problems: string[] = [];
  const { db } = scene;
  const campaigns = [...(await startCampaignsOnNodes(scene, SUBSCRIBERS)).values()].flat();
  const pacedSenders = [
    await scene.startSender({ relay: PACE }),
    await scene.startSender({ relay: PACE }),
  ];
  if (!(await waitUntil(() => scene.relay.accepted.length > 500, 60)))
    problems.push('Nothing was sent');
  const pause = watchPauses(scene, () => true);
  const acceptedBefore = scene.relay.accepted.length;
  const startedAt = performance.now();
  const [host, port] = newNode.split(':');
  await sql`select citus_add_node(${host}, ${Number(port)})`.execute(db);
  await sql`select citus_rebalance_start(rebalance_strategy => 'by_shard_count',
    shard_transfer_mode => 'force_logical')`.execute(db);
  if (
    !(await waitUntil(async () => (await readRebalanceState(db)) === 'finished', REBALANCE_SECONDS))
  ) {
    problems.push(`The rebalance is ${await readRebalanceState(db)}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const meanwhile = scene.relay.accepted.length - acceptedBefore;
  const maxPause = await pause.end();
  const movedShards = await shardsOn(db, newNode);
  print(
    `${movedShards} shards of accounts moved in ${seconds.toFixed(0)} s, ${meanwhile} copies sent meanwhile`,
  );
  if (movedShards === 0) problems.push('Nothing moved to the new node');
  if (meanwhile === 0) problems.push('Nothing was sent meanwhile: increase CLUSTER_PEOPLE');
  // The rest is sent at full speed.
  await Promise.all(pacedSenders.map(stop));
  await scene.startSender();
  for (const campaign of campaigns) {
    if (!(await waitUntilFinished(db, campaign, 300))) problems.push('A campaign did not finish');
  }
  const nodes = await Promise.all(campaigns.map(({ accountId }) => findNode(db, accountId)));
  const { problems: wrong, accepted, unknown, twice } = await verifyCampaigns(scene, campaigns);
  if (unknown > 0) problems.push(`${unknown} are unknown, though nothing was killed`);
  return {
    problems: [...problems, ...wrong],
    facts:
      `${movedShards} of 16 shards moved in ${seconds.toFixed(0)} s, with ${nodes.filter((node) => node === newNode).length} of ` +
      `${campaigns.length} sending accounts; ${meanwhile} copies sent meanwhile, the longest pause ${maxPause.toFixed(1)} s; ` +
      `${accepted} accepted, ${unknown} unknown, ${twice} twice`,
  };
}

async function readRebalanceState(db: Db): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select state::text from citus_rebalance_status() limit 1`.execute(db);
  return rows[0]?.state ?? 'not begun';
}

async function shardsOn(db: Db, node: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid
    join pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = 'accounts'::regclass
    where n.nodename || ':' || n.nodeport = ${node}`.execute(db);
  return rows[0]?.count ?? 0;
}
