// A thread of the pool (work-pool.ts): loads the module that a piece names and returns the result
// of its `work`.
import { parentPort } from 'node:worker_threads';
import type { WorkResponse, WorkRequest } from './threads.ts';
import type { WorkModule } from './work-pool.ts';

const postResult = (message: WorkResponse) => parentPort?.postMessage(message);

async function runPiece({ url, input }: WorkRequest): Promise<void> {
  let module: WorkModule | undefined;
  try {
    module = (await import(url)) as WorkModule;
    const { user, system } = process.threadCpuUsage();
    postResult({ startCpuMicroseconds: user + system });
    postResult({ output: await module.work(input) });
  } catch (error) {
    postResult({ failure: (module?.failure ?? String)(error) });
  }
}

parentPort?.on('message', (request: WorkRequest) => void runPiece(request));
