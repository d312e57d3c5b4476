// The job that processes a received file. Its functions are set at startup, because they need the
// configuration.
import { z } from 'zod';
import { defineJob, type JobContext } from '#platform/server/jobs/jobs.ts';

const Payload = z.object({ accountId: z.number(), fileId: z.number(), fileKey: z.string() });
export type FileToProcess = z.output<typeof Payload>;

type Run = (file: FileToProcess, tools: JobContext) => Promise<void>;
let processFile: Run | undefined;
let abandon: Run | undefined;

export function configureProcessing(run: Run, onAbandoned: Run): void {
  processFile = run;
  abandon = onAbandoned;
}

const requireRun = (run: Run | undefined): Run => {
  if (!run) throw new Error('configureProcessing has not been called');
  return run;
};

export const processFileJob = defineJob({
  name: 'deliverability.file',
  payload: Payload,
  run: (file, tools) => requireRun(processFile)(file, tools),
  onAbandoned: (file, tools) => requireRun(abandon)(file, tools),
});
