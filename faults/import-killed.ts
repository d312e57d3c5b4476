// 20 and 29: kill -9 of the worker in the middle of an import, again and again.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, kill, SECRET, stage, until } from './kit.ts';
import { newImport, problemsOfImport, startWorker, stateOf } from './kit/importing.ts';

const KILLS = Number(process.env.IMPORT_KILLS ?? 4);
const ROWS = 150_000;

export const fault: Fault = {
  number: 29,
  title: `kill -9 of the worker in an import, ${KILLS} times`,
  run: (say) =>
    stage(async (scene) => {
      const importing = await newImport(scene, ROWS);
      const problems: string[] = [];
      let longest = 0;
      let kills = 0;
      for (; kills < KILLS; kills++) {
        const { checkpoint: had } = await stateOf(scene, importing);
        const worker = await startWorker(scene, SECRET);
        const begun = performance.now();
        const moved = async () => (await stateOf(scene, importing)).checkpoint > had;
        if (!(await until(moved, 60))) {
          problems.push(`After kill ${kills} it was not taken up within 60 s`);
          break;
        }
        longest = Math.max(longest, (performance.now() - begun) / 1_000);
        await sleep(Math.random() * 300);
        await kill(worker);
        const { state, checkpoint, created_count } = await stateOf(scene, importing);
        say(`${kills + 1} kills, ${created_count} people, row ${checkpoint}`);
        if (state === 'finished') break;
      }
      const last = await startWorker(scene, SECRET);
      const isDone = async () => (await stateOf(scene, importing)).state === 'finished';
      if (!(await until(isDone, 120))) problems.push('It did not finish');
      problems.push(...(await problemsOfImport(scene, importing)));
      await kill(last);
      return {
        problems,
        facts: `${importing.people} people, each once; taken up within ${longest.toFixed(1)} s`,
      };
    }),
};
