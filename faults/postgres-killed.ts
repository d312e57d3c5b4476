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
const PEOPLE = 3_000;

export const fault: FaultTest = {
  number: 2,
  title: `kill -9 of PostgreSQL while sending, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const { db, folder } = scene;
      const campaign = await scene.campaign(PEOPLE);
      await scene.startSender({ relay: 'connections=4&rate=200' });
      const problems: string[] = [];
      for (let count = 1; count <= KILLS; count++) {
        const sentBefore = scene.relay.accepted.length;
        if (!(await waitUntil(() => scene.relay.accepted.length > sentBefore + 50, 60))) {
          problems.push(`After kill ${count - 1} nothing was sent for 60 s`);
          break;
        }
        await sleep(Math.random() * 500);
        const before = (await readDeliveryOf(db, campaign)).counts.accepted;
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
        const after = (await readDeliveryOf(db, campaign)).counts.accepted;
        if (after < before) problems.push(`${before} were recorded as accepted, then ${after}`);
        print(`${count} kills, ${after} accepted`);
      }
      if (!(await waitUntilFinished(db, campaign, 120)))
        problems.push('The campaign did not finish');
      problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
      const { counts } = await readDeliveryOf(db, campaign);
      return {
        problems,
        facts: `${counts.accepted} accepted, ${counts.unknown} unknown of ${PEOPLE}, the sender reconnected by itself`,
      };
    }),
};
