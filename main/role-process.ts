// Runs one role in its own process: `node main/role-process.ts web`, with settings from the
// environment. The process drains on SIGTERM and when its supervisor has exited.
import { inspect } from 'node:util';
import { log } from '#platform/server/log.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { Beat } from '#platform/server/process/event-loop-watchdog.ts';
import { readConfig } from './prepare.ts';
import { closing, DRAIN_MS, type Role, type RoleReport, startRole, watchRole } from './role.ts';
import { logProcessErrors } from './unhandled.ts';

let close: (() => Promise<void>) | undefined;
let isEnding = false;

const report = (message: RoleReport) => process.connected && process.send?.(message);

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), DRAIN_MS).unref();
  try {
    await close?.();
    report({ closed: true });
    process.exit(0);
  } catch (error) {
    log.error('Could not stop the role cleanly', { error });
    process.exit(1);
  }
}

logProcessErrors();
process.on('SIGTERM', end);
process.on('disconnect', end);
// Ctrl-C reaches the whole process group; the supervisor decides when to stop.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});

try {
  const role = process.argv[2] as Role;
  const config = readConfig();
  let isReady = false;
  // The supervisor expects beats only after the first one, so none is sent while modules load,
  // which is slow on a busy machine.
  const onBeat = (beat: Beat) => void (isReady && report({ beat }));
  const watchdog = watchRole(role, config, { onBeat, end });
  const start = startRole(role, config);
  close = closing(start);
  await start;
  watchdog.ready();
  isReady = true;
  report({ ready: true });
} catch (error) {
  report({ failed: error instanceof CannotStart ? error.message : inspect(error) });
  process.disconnect?.();
}
