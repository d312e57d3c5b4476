// 1: kill -9 of a sender process, repeatedly, while a campaign is limited to 200 a second.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  readDeliveryOf,
  type FaultTest,
  kill,
  findDeliveryProblems,
  withScene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';

const KILLS = Number(process.env.KILLS ?? 50);
const PER_SECOND = 200;
const CONNECTIONS = 4;
/** A sender leases at most two rows per connection, plus the number that it sends in 50 ms. */
const MAX_LEASED_ROWS = CONNECTIONS * 2 + PER_SECOND * 0.05;
const SUBSCRIBERS = KILLS * 200;

export const fault: FaultTest = {
  number: 1,
  title: `kill -9 of a sender, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const { db } = scene;
      const campaign = await scene.campaign(SUBSCRIBERS);
      const relay = `connections=${CONNECTIONS}&rate=${PER_SECOND}`;
      const problems: string[] = [];
      let maxUnknown = 0;
      let maxSeconds = 0;
      let unknownBefore = 0;
      for (let count = 1; count <= KILLS; count++) {
        const sentBefore = scene.relay.accepted.length;
        const startedAt = performance.now();
        const sender = await scene.startSender({ relay });
        if (!(await waitUntil(() => scene.relay.accepted.length > sentBefore, 60))) {
          problems.push(`After kill ${count - 1} nothing was sent for 60 s`);
          break;
        }
        maxSeconds = Math.max(maxSeconds, (performance.now() - startedAt) / 1_000);
        await sleep(Math.random() * 1_000);
        await kill(sender);
        const { counts } = await readDeliveryOf(db, campaign);
        const unknownNow = counts.unknown + counts.handing_over;
        maxUnknown = Math.max(maxUnknown, unknownNow - unknownBefore);
        unknownBefore = unknownNow;
        if (count % 10 === 0)
          print(`${count} kills, ${counts.accepted} accepted, ${unknownNow} unknown`);
      }
      if (maxUnknown > MAX_LEASED_ROWS)
        problems.push(
          `One kill left ${maxUnknown} unknown, more than the ${MAX_LEASED_ROWS} rows of its leases`,
        );
      await scene.startSender({ relay: `connections=${CONNECTIONS}` });
      if (!(await waitUntilFinished(db, campaign, 120)))
        problems.push('The campaign did not finish');
      problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
      const { counts } = await readDeliveryOf(db, campaign);
      const duplicateCount = scene.log().length - new Set(scene.log()).size;
      return {
        problems,
        facts:
          `${counts.accepted} accepted, ${counts.unknown} unknown of ${SUBSCRIBERS}; ${duplicateCount} sent twice; ` +
          `at most ${maxUnknown} unknown by one kill (allowed: ${MAX_LEASED_ROWS}); sending resumed within ${maxSeconds.toFixed(1)} s`,
      };
    }),
};
