// 20 and 29: kill -9 of the worker in the middle of an import, repeatedly: each row is imported
// once.
import { type FaultTest, withScene } from './kit.ts';
import { newImport, findImportProblems, readImportState } from './kit/importing.ts';
import { killWorkerDuring, type WorkerTask } from './kit/worker-killed.ts';

const KILLS = Number(process.env.IMPORT_KILLS ?? 4);
const ROWS = 150_000;

export const fault: FaultTest = {
  number: 29,
  title: `kill -9 of the worker in an import, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const importing = await newImport(scene, ROWS);
      const work: WorkerTask = {
        async state() {
          const {
            checkpoint,
            state,
            created_count: count,
          } = await readImportState(scene, importing);
          const progress = `${count} subscribers, row ${checkpoint}`;
          return { reached: checkpoint, summary: progress, isFinished: state === 'finished' };
        },
        problems: () => findImportProblems(scene, importing),
        facts: `${importing.people} subscribers, each once`,
      };
      return killWorkerDuring(scene, work, KILLS, print);
    }),
};
