// 2: kill -9 of PostgreSQL while importing: rows that were counted are stored, and the import
// continues.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { type FaultTest, readPostmasterPid, withScene, waitUntil } from './kit.ts';
import { newImport, findImportProblems, readImportState } from './kit/importing.ts';
import { startSupervisedRole } from './kit/roles.ts';

const KILLS = 3;
const ROWS = 150_000;

export const fault: FaultTest = {
  number: 2,
  title: `kill -9 of PostgreSQL while importing, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const importing = await newImport(scene, ROWS);
      const problems: string[] = [];
      const worker = await startSupervisedRole(scene, 'worker');
      for (let count = 1; count <= KILLS; count++) {
        const stateBefore = await readImportState(scene, importing);
        const hasProgressed = async () =>
          (await readImportState(scene, importing)).checkpoint > stateBefore.checkpoint;
        if (stateBefore.state === 'finished') break;
        if (!(await waitUntil(hasProgressed, 90))) {
          problems.push(`After kill ${count - 1} the import did not resume within 90 s`);
          break;
        }
        await sleep(Math.random() * 300);
        const knownState = await readImportState(scene, importing);
        process.kill(readPostmasterPid(scene), 'SIGKILL');
        await sleep(300);
        scene.running.server = await startEmbeddedPostgres({ folder: scene.folder });
        await waitUntil(() => isUp(scene.db), 30);
        const stateAfter = await readImportState(scene, importing);
        if (stateAfter.checkpoint < knownState.checkpoint)
          problems.push(`Row ${knownState.checkpoint} was reached, then ${stateAfter.checkpoint}`);
        print(`${count} kills, ${stateAfter.created_count} subscribers`);
      }
      const isDone = async () => (await readImportState(scene, importing)).state === 'finished';
      if (!(await waitUntil(isDone, 180))) problems.push('The import did not finish');
      problems.push(...(await findImportProblems(scene, importing)));
      worker.release();
      return { problems, facts: `${importing.people} subscribers, each once` };
    }),
};

function isUp(db: Parameters<ReturnType<typeof sql>['execute']>[0]): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}
