// Starts the process that holds a backup's snapshot, as `npm run backup` does.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const HOLDER = join(import.meta.dirname, '../main/backup-instant.ts');

export const startHolder = (): ChildProcess =>
  spawn(process.execPath, [HOLDER], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
