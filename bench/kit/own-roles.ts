// Starts the product's roles in separate processes, with the supervisor's memory settings.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_FLAGS, type Role } from '#main/role.ts';

const ENTRY = join(import.meta.dirname, '../../main/role-process.ts');

/** Resolves once the role is ready; throws the cause if the start fails. */
export async function startRole(role: Role, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...MEMORY_FLAGS[role], ENTRY, role], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [report] = (await once(child, 'message')) as [{ ready?: true; failed?: string }];
  if (!report.ready) throw new Error(report.failed);
  return child;
}

export async function stopRole(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/**
 * Returns the peak memory of the process in megabytes, or null if the system does not report it.
 */
export function readPeakMegabytes(child: ChildProcess): number | null {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  } catch {
    return null;
  }
}
