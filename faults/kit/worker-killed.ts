// Kills the worker repeatedly in the middle of its work, then lets it finish; shared by the faults
// of campaign starts, exports and imports.
import { setTimeout as sleep } from 'node:timers/promises';
import { kill, type FaultResult, type Print, type Scene, waitUntil } from '../kit.ts';
import { startRole } from './roles.ts';

export interface WorkerTask {
  /** Progress of the work; `reached` grows while the worker makes progress. */
  state(): Promise<WorkProgress>;
  problems(): Promise<string[]>;
  /** Summary for the report if there are no problems. */
  facts: string;
}

export interface WorkProgress {
  reached: number;
  isFinished: boolean;
  summary: string;
}

export async function killWorkerDuring(
  scene: Scene,
  work: WorkerTask,
  times: number,
  print: Print,
): Promise<FaultResult> {
  const problems: string[] = [];
  let maxSeconds = 0;
  for (let kills = 0; kills < times; kills++) {
    const { reached: before } = await work.state();
    const worker = await startRole(scene, 'worker');
    const startedAt = performance.now();
    if (!(await waitUntil(async () => (await work.state()).reached > before, 60))) {
      problems.push(`After kill ${kills} the job did not resume within 60 s`);
      break;
    }
    maxSeconds = Math.max(maxSeconds, (performance.now() - startedAt) / 1_000);
    await sleep(Math.random() * 300);
    await kill(worker);
    const { summary, isFinished } = await work.state();
    print(`${kills + 1} kills, ${summary}`);
    if (isFinished) break;
  }
  const lastWorker = await startRole(scene, 'worker');
  if (!(await waitUntil(async () => (await work.state()).isFinished, 120))) {
    problems.push('The job did not finish');
  }
  problems.push(...(await work.problems()));
  await kill(lastWorker);
  return { problems, facts: `${work.facts}; resumed within ${maxSeconds.toFixed(1)} s` };
}
