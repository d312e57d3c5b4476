// 20 and 29: kill -9 of the worker in the middle of an import, repeatedly.
import { type Fault, stage } from './kit.ts';
import { newImport, problemsOfImport, stateOf } from './kit/importing.ts';
import { killWorkerDuring, type Work } from './kit/worker-killed.ts';

const KILLS = Number(process.env.IMPORT_KILLS ?? 4);
const ROWS = 150_000;

export const fault: Fault = {
  number: 29,
  title: `kill -9 of the worker in an import, ${KILLS} times`,
  run: (say) =>
    stage(async (scene) => {
      const importing = await newImport(scene, ROWS);
      const work: Work = {
        async state() {
          const { checkpoint, state, created_count: count } = await stateOf(scene, importing);
          const words = `${count} people, row ${checkpoint}`;
          return { reached: checkpoint, words, isFinished: state === 'finished' };
        },
        problems: () => problemsOfImport(scene, importing),
        facts: `${importing.people} people, each once`,
      };
      return killWorkerDuring(scene, work, KILLS, say);
    }),
};
