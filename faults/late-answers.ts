// 6: an email with a late reply to the final dot is accepted; without an answer it is unknown and
// is not resent automatically.
import {
  readDeliveryOf,
  type FaultTest,
  limits,
  findDeliveryProblems,
  startLocalSender,
  withScene,
  waitUntilFinished,
} from './kit.ts';

const SUBSCRIBERS = 40;
const LATE_MS = 3_000;
const LIMIT_MS = 6_000;

export const fault: FaultTest = {
  number: 6,
  title: 'the relay answers the final dot late, or never',
  run: () =>
    withScene(async (scene) => {
      const { db, relay } = scene;
      const campaign = await scene.campaign(SUBSCRIBERS);
      relay.script.dot = ({ previousCount }) => {
        if (previousCount < 5) return { delayMs: LATE_MS };
        return previousCount < 10 ? { reply: '', isStored: true } : undefined;
      };
      const sender = startLocalSender(scene, {
        connections: 12,
        limits: limits({ dot: LIMIT_MS }),
      });
      const isFinished = await waitUntilFinished(db, campaign, 60);
      await sender.close();
      const { counts } = await readDeliveryOf(db, campaign);
      const problems = await findDeliveryProblems(db, campaign, scene.log());
      if (!isFinished) problems.push('The campaign did not finish');
      if (counts.unknown !== 5) problems.push(`${counts.unknown} are unknown, not 5`);
      return {
        problems,
        facts: `${counts.accepted} accepted, ${counts.unknown} unknown of ${SUBSCRIBERS}`,
      };
    }),
};
