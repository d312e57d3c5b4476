// 33: kill -9 of cluster nodes in turn while campaigns of accounts on each of them are sent. No
// recipient is lost or gets a campaign twice. Accounts on other nodes continue to schedule, import,
// save and send SMS during an outage. Scheduled campaigns of accounts on the killed node are sent
// after the outage. Needs a cluster: see kit/on-cluster.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { type SmppServer, startSmppServer } from '#testing/servers/smpp-server.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type FaultTest,
  type FaultResult,
  type Print,
  type Scene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';
import { playOutage, smsUrl } from './kit/acts-during-outage.ts';
import {
  startCampaignsOnNodes,
  clusterNodes,
  verifyCampaigns,
  watchPauses,
  runOnCluster,
  runNodeCommand,
} from './kit/on-cluster.ts';
import { openStops } from './kit/stops-on-nodes.ts';

const SUBSCRIBERS = Number(process.env.CLUSTER_PEOPLE ?? 5_000);
const KILLS = Number(process.env.CLUSTER_KILLS ?? 4);
const RESUME_SECONDS = 60;
const AWAY_MS = Number(process.env.CLUSTER_AWAY_MS ?? 8_000);
const PACE = 'connections=4&rate=200';

export const fault: FaultTest = {
  number: 33,
  title: `kill -9 of a cluster's nodes, ${KILLS} times, while sending`,
  isOptIn: true,
  run: (print) =>
    runOnCluster(async (scene) => {
      const center = await startSmppServer();
      try {
        return await play(scene, center, print);
      } finally {
        await center.close();
      }
    }),
};

async function play(scene: Scene, center: SmppServer, print: Print): Promise<FaultResult> {
  const problems: string[] = [];
  const byNode = await startCampaignsOnNodes(scene, SUBSCRIBERS);
  const campaigns = [...byNode.values()].flat();
  const nodes = clusterNodes().slice(1);
  const stops = await openStops(
    scene,
    nodes.flatMap((node) => byNode.get(node)?.[0]?.accountId ?? []),
  );
  print(`${campaigns.length} campaigns to ${SUBSCRIBERS} people each on ${nodes.length} nodes`);
  // The senders log nothing, because each failed write during an outage would be logged.
  const quiet = { relay: PACE, env: { LOG_LEVEL: 'silent', SMS_URL: smsUrl(center) } };
  await scene.startSender(quiet);
  await scene.startSender(quiet);
  if (!(await waitUntil(() => scene.relay.accepted.length > 500, 60)))
    problems.push('Nothing was sent');
  let [maxPause, maxWait] = [0, 0];
  for (let count = 0; count < KILLS; count++) {
    const node = nodes[count % nodes.length] as string;
    const killResult = await playKill(scene, byNode, node, stops, print);
    problems.push(...killResult.problems);
    maxPause = Math.max(maxPause, killResult.pause);
    maxWait = Math.max(maxWait, killResult.wait);
  }
  const outage = await playOutage(scene, center, print);
  problems.push(...outage.problems);
  campaigns.push(...outage.campaigns);
  for (const campaign of campaigns) {
    if (!(await waitUntilFinished(scene.db, campaign, 300)))
      problems.push('A campaign did not finish');
  }
  const { problems: wrong, accepted, unknown, twice } = await verifyCampaigns(scene, campaigns);
  return {
    problems: [...problems, ...wrong],
    facts: `${accepted} accepted, ${unknown} unknown of ${campaigns.length} campaigns; none lost, ${twice} twice; other accounts paused for ${maxPause.toFixed(1)} s at most, accounts of a returned node continued within ${maxWait.toFixed(1)} s`,
  };
}

/**
 * Kills the node, starts it again, and waits until the campaigns of the node's accounts continue.
 */
async function playKill(
  scene: Scene,
  byNode: ReadonlyMap<string, StartedCampaign[]>,
  node: string,
  stops: Awaited<ReturnType<typeof openStops>>,
  print: Print,
) {
  const problems: string[] = [];
  const nodeCampaigns = byNode.get(node) ?? [];
  const elsewhere = [...byNode].filter(([name]) => name !== node).map(([, list]) => list);
  const otherCampaigns = elsewhere.flat();
  const isElsewhere = messagesOf(otherCampaigns);
  const watch = watchPauses(scene, isElsewhere);
  const acceptedBefore = scene.relay.accepted.length;
  await runNodeCommand('CLUSTER_KILL', node);
  const stop = await stops.write(elsewhere.flatMap(([first]) => first?.accountId ?? []));
  problems.push(...stop.problems);
  await sleep(AWAY_MS);
  const sentElsewhere = scene.relay.accepted.slice(acceptedBefore).filter(isElsewhere).length;
  const pause = await watch.end();
  await runNodeCommand('CLUSTER_START', node);
  const resumption = untilResumed(scene, nodeCampaigns);
  problems.push(...(await stops.redeliver(stop.eventId)));
  print(
    `${node} was down for ${AWAY_MS / 1_000} s: ${sentElsewhere} copies of other accounts sent meanwhile`,
  );
  if (sentElsewhere === 0 && (await countUnleased(scene, otherCampaigns)) > 0)
    problems.push(`No copy of other accounts was sent while ${node} was down`);
  const wait = await resumption;
  if (wait === undefined) problems.push(`The campaigns of ${node} did not continue`);
  return { problems, pause, wait: wait ?? 0 };
}

/**
 * Returns the seconds until a copy of one of these campaigns arrives or all of them are finished;
 * undefined if neither happens within RESUME_SECONDS.
 */
async function untilResumed(
  scene: Scene,
  nodeCampaigns: readonly StartedCampaign[],
): Promise<number | undefined> {
  const startedAt = performance.now();
  const isOwn = messagesOf(nodeCampaigns);
  const acceptedBefore = scene.relay.accepted.length;
  const hasResumed = async () =>
    scene.relay.accepted.slice(acceptedBefore).some(isOwn) ||
    (await areFinished(scene, nodeCampaigns));
  if (!(await waitUntil(hasResumed, RESUME_SECONDS))) return undefined;
  return (performance.now() - startedAt) / 1_000;
}

/** Returns a function that checks whether a Message-ID belongs to one of the campaigns. */
function messagesOf(campaigns: readonly StartedCampaign[]) {
  const tokens = getInstallationTokens();
  const messages = new Set(campaigns.map(({ messageId }) => messageId));
  return ({ messageId }: { messageId: string }) => {
    const token = tokens.read(messageId.split('@')[0] as string, 'messageId');
    return token !== undefined && messages.has(token.message);
  };
}

/**
 * Counts recipients that a sender can lease. Once all are leased, a campaign may still wait for
 * leases whose commit was interrupted by an earlier kill.
 */
async function countUnleased(
  { db }: Scene,
  campaigns: readonly StartedCampaign[],
): Promise<number> {
  let count = 0;
  for (const { accountId, messageId } of campaigns) {
    const { rows } = await sql<{ left: number }>`
      select coalesce(sum(written - leased), 0)::int as left from lanes
      where account_id = ${accountId} and message_id = ${messageId}`.execute(db);
    count += rows[0]?.left ?? 0;
  }
  return count;
}

async function areFinished({ db }: Scene, campaigns: readonly StartedCampaign[]): Promise<boolean> {
  const deliveries = await Promise.all(campaigns.map((campaign) => readDeliveryOf(db, campaign)));
  return deliveries.every(({ state }) => state === 'finished');
}
