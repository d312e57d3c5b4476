// Routes the job queue's log to ours: warnings and errors always, the rest only when debugging.
import { Logger } from 'graphile-worker';
import { log } from '../log.ts';

export const silentLogger = new Logger(() => () => {});

export const jobLogger = new Logger(() => (level, message) => {
  if (level === 'error') log.error(message);
  else if (level === 'warning') log.warn(message);
  else log.debug(message);
});
