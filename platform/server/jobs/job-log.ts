// Routes the job queue's log to the product's log: warnings and errors always, the rest only when
// debugging.
import { Logger } from 'graphile-worker';
import { isNodeFailure } from '../database/node-failure.ts';
import { log } from '../log.ts';
import { JobInterrupted } from './job-interrupted.ts';
import { parseRequestId } from './job-request.ts';

export const silentLogger = new Logger(() => () => {});

type FailedJob = {
  task_identifier: string;
  attempts: number;
  max_attempts: number;
  flags: Record<string, true> | null;
};

export const jobLogger = new Logger(() => (level, message, meta) => {
  const { job, error } = (meta ?? {}) as { job?: FailedJob; error?: unknown };
  if (level === 'error' && job && error !== undefined) {
    const { task_identifier: name, attempts: attempt, max_attempts: attempts } = job;
    const fields = { job: name, attempt, attempts, request: parseRequestId(job.flags) };
    if (error instanceof JobInterrupted) log.info('Job interrupted; it will resume', fields);
    else if (isNodeFailure(error)) {
      log.warn('Database node is unavailable; the job will run again', {
        ...{ job: name, request: fields.request },
        reason: (error as Error).message,
      });
    } else log.error('Job failed', { ...fields, error });
  } else if (level === 'error') log.error(message);
  else if (level === 'warning') log.warn(message);
  else log.debug(message);
});
