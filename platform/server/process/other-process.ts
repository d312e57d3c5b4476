// Looks up a process by its id. Ids are reused, so the command and start time must match
// before a process is signaled or treated as ours.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type OtherProcess =
  | { state: 'gone' }
  /**
   * `startedAt` distinguishes it from a later process with the same id; `command` includes its
   * arguments, unquoted.
   */
  | { state: 'alive'; startedAt: string; command: string }
  /** The process exists but the system does not identify it. */
  | { state: 'unknown' };

const NOT_RUNNING: OtherProcess = { state: 'gone' };

export function readProcess(pid: number, platform: NodeJS.Platform): OtherProcess {
  if (!exists(pid)) return NOT_RUNNING;
  try {
    if (platform === 'linux') return readProc(pid);
    return platform === 'win32' ? queryWindows(pid) : queryPs(pid);
  } catch {
    // The process may have ended during the lookup.
    return exists(pid) ? { state: 'unknown' } : NOT_RUNNING;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readProc(pid: number): OtherProcess {
  // State, then 18 fields up to the start time; the name before them may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  if (fields[0] === 'Z') return NOT_RUNNING;
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  return { state: 'alive', startedAt: fields[19] ?? '', command };
}

function queryPs(pid: number): OtherProcess {
  const args = ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)];
  const line = runProgram('ps', args);
  const match = /^\s*(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s+(.*)$/s.exec(line.trimEnd());
  if (!match) return { state: 'unknown' };
  const [, state = '', startedAt = '', command = ''] = match;
  return state.startsWith('Z')
    ? NOT_RUNNING
    : { state: 'alive', startedAt, command: `${command} ` };
}

function queryWindows(pid: number): OtherProcess {
  const question = `$p = Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}'; if ($p) { $p.CreationDate.ToUniversalTime().ToString('o'); $p.CommandLine }`;
  const output = runProgram('powershell.exe', [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    question,
  ]);
  const [startedAt = '', ...rest] = output.trim().split(/\r?\n/);
  const command = rest.join(' ').replaceAll('"', '');
  return startedAt && command
    ? { state: 'alive', startedAt, command: `${command} ` }
    : { state: 'unknown' };
}

function runProgram(program: string, args: string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    // A fixed date format, independent of the caller's language and time zone.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
}
