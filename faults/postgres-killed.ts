// 2: kill -9 of PostgreSQL while sending: acknowledged data is stored, and sending continues.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import {
  readDeliveryOf,
  type FaultTest,
  readPostmasterPid,
  findDeliveryProblems,
  withScene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';

const KILLS = 5;
const SUBSCRIBERS = 3_000;

export const fault: FaultTest = {
  number: 2,
  title: `kill -9 of PostgreSQL while sending, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const { db, folder } = scene;
      const campaign = await scene.campaign(SUBSCRIBERS);
      await scene.startSender({ relay: 'connections=4&rate=200' });
      const problems: string[] = [];
      for (let count = 1; count <= KILLS; count++) {
        const sentBefore = scene.relay.accepted.length;
        if (!(await waitUntil(() => scene.relay.accepted.length > sentBefore + 50, 60))) {
          problems.push(`After kill ${count - 1} nothing was sent for 60 s`);
          break;
        }
        await sleep(Math.random() * 500);
        const acceptedBefore = (await readDeliveryOf(db, campaign)).counts.accepted;
        process.kill(readPostmasterPid(scene), 'SIGKILL');
        await sleep(300);
        scene.running.server = await startEmbeddedPostgres({ folder });
        await waitUntil(
          () =>
            sql`select 1`.execute(db).then(
              () => true,
              () => false,
            ),
          30,
        );
        const acceptedAfter = (await readDeliveryOf(db, campaign)).counts.accepted;
        if (acceptedAfter < acceptedBefore)
          problems.push(`${acceptedBefore} were recorded as accepted, then ${acceptedAfter}`);
        print(`${count} kills, ${acceptedAfter} accepted`);
      }
      if (!(await waitUntilFinished(db, campaign, 120)))
        problems.push('The campaign did not finish');
      problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
      const { counts } = await readDeliveryOf(db, campaign);
      return {
        problems,
        facts: `${counts.accepted} accepted, ${counts.unknown} unknown of ${SUBSCRIBERS}, the sender reconnected by itself`,
      };
    }),
};
