// 39: kill -9 of a sender, repeatedly, while the autopilot limits one mailbox provider of a
// campaign: all senders together respect the hourly limit, the other providers do not wait, and no
// copy is sent twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { setProviderCap } from '#areas/delivery/server/ledger/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type FaultTest,
  kill,
  type FaultResult,
  type Print,
  findDeliveryProblems,
  type Scene,
  waitUntil,
  waitUntilFinished,
  withScene,
} from './kit.ts';

const KILLS = Number(process.env.KILLS ?? 20);
const SUBSCRIBERS = KILLS * 90;
const PER_HOUR = SUBSCRIBERS / 9;
const RELAY = 'connections=4&rate=60';
/** The remaining copies are sent only after the leases of killed senders have expired. */
const MAX_FINISH_SECONDS = 180;

export const fault: FaultTest = {
  number: 39,
  title: `kill -9 of a sender, ${KILLS} times, under the limit of a mailbox provider`,
  run: (print) =>
    withScene(async (scene) => {
      const campaign = await scene.campaign(SUBSCRIBERS);
      await limit(scene, campaign, PER_HOUR);
      return play(scene, campaign, print);
    }),
};

const limit = ({ db }: Scene, { accountId }: StartedCampaign, perHour: number | undefined) =>
  inTransaction(db, (tx) =>
    setProviderCap(
      tx,
      accountId,
      { domain: 'tea.example', mailbox: MAILBOXES.gmail },
      perHour === undefined ? undefined : { perHour, isEngagedOnly: false },
    ),
  );

/** Counts copies that the relay accepted for the limited provider and for the other providers. */
function sentBy({ relay }: Scene): { limited: number; others: number } {
  const cappedCount = relay.accepted.filter(({ to }) => to[0]?.endsWith('@gmail.com')).length;
  return { limited: cappedCount, others: relay.accepted.length - cappedCount };
}

async function play(scene: Scene, campaign: StartedCampaign, print: Print): Promise<FaultResult> {
  const { db } = scene;
  const problems: string[] = [];
  for (let count = 1; count <= KILLS; count++) {
    const sender = await scene.startSender({ relay: RELAY });
    await sleep(200 + Math.random() * 1_000);
    await kill(sender);
    const { limited, others } = sentBy(scene);
    if (count % 5 === 0)
      print(`${count} kills, ${limited} sent under the limit, ${others} to other providers`);
  }
  await scene.startSender({ relay: 'connections=4' });
  await scene.startSender({ relay: 'connections=4' });
  // Copies to other providers become unknown if the sender was killed while it delivered them.
  const othersSettled = async () => {
    const { counts } = await readDeliveryOf(db, campaign);
    const unknown = counts.unknown + counts.handing_over;
    return sentBy(scene).others >= (2 / 3) * SUBSCRIBERS - unknown;
  };
  if (!(await waitUntil(othersSettled, MAX_FINISH_SECONDS)))
    problems.push('Other providers waited');
  await sleep(5_000);
  const { limited } = sentBy(scene);
  if (limited > PER_HOUR) problems.push(`${limited} were sent under a limit of ${PER_HOUR}`);
  if (limited === 0) problems.push('Nothing was sent under the limit');
  await limit(scene, campaign, undefined);
  if (!(await waitUntilFinished(db, campaign, MAX_FINISH_SECONDS)))
    problems.push('The campaign did not finish');
  problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
  const { counts } = await readDeliveryOf(db, campaign);
  const duplicateCount = scene.log().length - new Set(scene.log()).size;
  return {
    problems,
    facts:
      `${limited} sent under an hourly limit of ${PER_HOUR}, then ${counts.accepted} accepted and ` +
      `${counts.unknown} unknown of ${SUBSCRIBERS}; ${duplicateCount} sent twice`,
  };
}
