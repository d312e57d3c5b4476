// 1: kill -9 of a sender process, repeatedly, while a campaign is limited to 200 a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryOf, type Fault, kill, problemsOf, stage, until, untilFinished } from './kit.ts';

const KILLS = Number(process.env.KILLS ?? 50);
const PER_SECOND = 200;
const CONNECTIONS = 4;
/** Two rows per connection and 50 ms of the rate. */
const STEP = CONNECTIONS * 2 + PER_SECOND * 0.05;
const PEOPLE = KILLS * 200;

export const fault: Fault = {
  number: 1,
  title: `kill -9 of a sender, ${KILLS} times`,
  run: (say) =>
    stage(async (scene) => {
      const { db } = scene;
      const campaign = await scene.campaign(PEOPLE);
      const relay = `connections=${CONNECTIONS}&rate=${PER_SECOND}`;
      const problems: string[] = [];
      let most = 0;
      let longest = 0;
      let begunAndUnwritten = 0;
      for (let count = 1; count <= KILLS; count++) {
        const had = scene.relay.accepted.length;
        const begun = performance.now();
        const sender = await scene.startSender({ relay });
        if (!(await until(() => scene.relay.accepted.length > had, 60))) {
          problems.push(`After kill ${count - 1} nothing was sent for 60 s`);
          break;
        }
        longest = Math.max(longest, (performance.now() - begun) / 1_000);
        await sleep(Math.random() * 1_000);
        await kill(sender);
        const { counts } = await deliveryOf(db, campaign);
        const now = counts.unknown + counts.handing_over;
        most = Math.max(most, now - begunAndUnwritten);
        begunAndUnwritten = now;
        if (count % 10 === 0) say(`${count} kills, ${counts.accepted} accepted, ${now} unknown`);
      }
      if (most > STEP) problems.push(`One kill left ${most} unknown, a step is ${STEP}`);
      await scene.startSender({ relay: `connections=${CONNECTIONS}` });
      if (!(await untilFinished(db, campaign, 120))) problems.push('It did not finish');
      problems.push(...(await problemsOf(db, campaign, scene.log())));
      const { counts } = await deliveryOf(db, campaign);
      const twice = scene.log().length - new Set(scene.log()).size;
      return {
        problems,
        facts:
          `${counts.accepted} accepted, ${counts.unknown} unknown of ${PEOPLE}; ${twice} twice; ` +
          `at most ${most} unknown by one kill (a step: ${STEP}); going on after ${longest.toFixed(1)} s at most`,
      };
    }),
};
