// A role in a process of its own: `node main/role-process.ts web`, settings by environment. It drains on
// SIGTERM, and ends by itself when its supervisor is gone.
import { inspect } from 'node:util';
import { CannotStart } from '#platform/server/cannot-start.ts';
import { readConfig } from './prepare.ts';
import { closing, DRAIN_MS, type Role, type RoleReport, startRole, watchRole } from './role.ts';
import { outliveRejections } from './unhandled.ts';

let close: (() => Promise<void>) | undefined;
let isEnding = false;

const report = (message: RoleReport) => process.connected && process.send?.(message);

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), DRAIN_MS).unref();
  try {
    await close?.();
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

outliveRejections();
process.on('SIGTERM', end);
process.on('disconnect', end);
// Ctrl-C reaches the whole process group: the supervisor says when.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});

try {
  const role = process.argv[2] as Role;
  const config = readConfig();
  const start = startRole(role, config);
  close = closing(start);
  await start;
  // Not before: a busy machine takes its time to load the modules, in one go.
  watchRole(role, config, { onBeat: (beat) => report({ beat }), end });
  report({ ready: true });
} catch (error) {
  report({ failed: error instanceof CannotStart ? error.message : inspect(error) });
  process.disconnect?.();
}
