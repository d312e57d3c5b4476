// 33: kill -9 of cluster nodes in turn while campaigns of accounts on each of them are sent: no
// recipient is lost or gets it twice, and accounts on other nodes continue: they schedule, import
// and save during an outage, and campaigns that the node's accounts scheduled are sent after it.
// Needs a cluster: see kit/on-cluster.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { installationTokens } from '#areas/tracking/server/index.ts';
import {
  type Campaign,
  deliveryOf,
  type Fault,
  type Outcome,
  type Print,
  type Scene,
  until,
  untilFinished,
} from './kit.ts';
import { playOutage } from './kit/acts-during-outage.ts';
import {
  campaignsOnEach,
  clusterNodes,
  verifyCampaigns,
  watchPauses,
  onCluster,
  runNodeCommand,
} from './kit/on-cluster.ts';
import { openStops } from './kit/stops-on-nodes.ts';

const PEOPLE = Number(process.env.CLUSTER_PEOPLE ?? 3_000);
const KILLS = Number(process.env.CLUSTER_KILLS ?? 4);
const AWAY_MS = Number(process.env.CLUSTER_AWAY_MS ?? 8_000);
const PACE = 'connections=4&rate=200';

export const fault: Fault = {
  number: 33,
  title: `kill -9 of a cluster's nodes, ${KILLS} times, while sending`,
  isOptIn: true,
  run: (print) => onCluster((scene) => play(scene, print)),
};

async function play(scene: Scene, print: Print): Promise<Outcome> {
  const problems: string[] = [];
  const byNode = await campaignsOnEach(scene, PEOPLE);
  const campaigns = [...byNode.values()].flat();
  const nodes = clusterNodes().slice(1);
  const stops = await openStops(
    scene,
    nodes.flatMap((node) => byNode.get(node)?.[0]?.accountId ?? []),
  );
  print(`${campaigns.length} campaigns to ${PEOPLE} people each on ${nodes.length} nodes`);
  // Silent, since each failed write during an outage would be logged.
  const quiet = { relay: PACE, env: { LOG_LEVEL: 'silent' } };
  await scene.startSender(quiet);
  await scene.startSender(quiet);
  if (!(await until(() => scene.relay.accepted.length > 500, 60)))
    problems.push('Nothing was sent');
  let maxPause = 0;
  for (let count = 0; count < KILLS; count++) {
    const node = nodes[count % nodes.length] as string;
    const others = nodes.filter((name) => name !== node).flatMap((name) => byNode.get(name) ?? []);
    const isElsewhere = messagesOf(others);
    const pause = watchPauses(scene, isElsewhere);
    const had = scene.relay.accepted.length;
    runNodeCommand('CLUSTER_KILL', node);
    const elsewhereIds = nodes.flatMap((name) =>
      name === node ? [] : (byNode.get(name)?.[0]?.accountId ?? []),
    );
    const stop = await stops.write(elsewhereIds);
    problems.push(...stop.problems);
    await sleep(AWAY_MS);
    const elsewhere = scene.relay.accepted.slice(had).filter(isElsewhere).length;
    maxPause = Math.max(maxPause, await pause.end());
    runNodeCommand('CLUSTER_START', node);
    problems.push(...(await stops.redeliver(stop.eventId)));
    print(
      `${node} was down for ${AWAY_MS / 1_000} s: ${elsewhere} copies of other accounts sent meanwhile`,
    );
    const isOver = (await Promise.all(others.map((campaign) => isFinished(scene, campaign)))).every(
      Boolean,
    );
    if (elsewhere === 0 && !isOver) {
      problems.push(`No copy of other accounts was sent while ${node} was down`);
    }
    await until(() => scene.relay.accepted.length > had + elsewhere + 200, 60);
  }
  const outage = await playOutage(scene, print);
  problems.push(...outage.problems);
  campaigns.push(...outage.campaigns);
  for (const campaign of campaigns) {
    if (!(await untilFinished(scene.db, campaign, 300))) problems.push('A campaign did not finish');
  }
  const { problems: wrong, accepted, unknown, twice } = await verifyCampaigns(scene, campaigns);
  return {
    problems: [...problems, ...wrong],
    facts: `${accepted} accepted, ${unknown} unknown of ${campaigns.length} campaigns; none lost, ${twice} twice; other accounts paused for ${maxPause.toFixed(1)} s at most`,
  };
}

/** True if the Message-ID belongs to one of the campaigns. */
function messagesOf(campaigns: readonly Campaign[]) {
  const tokens = installationTokens();
  const messages = new Set(campaigns.map(({ messageId }) => messageId));
  return ({ messageId }: { messageId: string }) => {
    const token = tokens.read(messageId.split('@')[0] as string, 'messageId');
    return token !== undefined && messages.has(token.message);
  };
}

async function isFinished({ db }: Scene, campaign: Campaign): Promise<boolean> {
  return (await deliveryOf(db, campaign)).state === 'finished';
}
