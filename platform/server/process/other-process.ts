// Looks up a process by its number. Numbers are reused, so the command and start time must match
// before a process is signaled or treated as ours.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type OtherProcess =
  | { is: 'gone' }
  /**
   * `born` distinguishes it from a later process with the same number; `command` includes its
   * arguments, unquoted.
   */
  | { is: 'alive'; born: string; command: string }
  /** The process exists but the system does not identify it. */
  | { is: 'unknown' };

const GONE: OtherProcess = { is: 'gone' };

export function readProcess(pid: number, platform: NodeJS.Platform): OtherProcess {
  if (!isThere(pid)) return GONE;
  try {
    if (platform === 'linux') return readProc(pid);
    return platform === 'win32' ? askWindows(pid) : askPs(pid);
  } catch {
    // It may have ended during the look-up.
    return isThere(pid) ? { is: 'unknown' } : GONE;
  }
}

function isThere(pid: number): boolean {
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
  if (fields[0] === 'Z') return GONE;
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  return { is: 'alive', born: fields[19] ?? '', command };
}

function askPs(pid: number): OtherProcess {
  const args = ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)];
  const line = ask('ps', args);
  const facts = /^\s*(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s+(.*)$/s.exec(line.trimEnd());
  if (!facts) return { is: 'unknown' };
  const [, state = '', born = '', command = ''] = facts;
  return state.startsWith('Z') ? GONE : { is: 'alive', born, command: `${command} ` };
}

function askWindows(pid: number): OtherProcess {
  const question = `$p = Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}'; if ($p) { $p.CreationDate.ToUniversalTime().ToString('o'); $p.CommandLine }`;
  const answer = ask('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', question]);
  const [born = '', ...rest] = answer.trim().split(/\r?\n/);
  const command = rest.join(' ').replaceAll('"', '');
  return born && command ? { is: 'alive', born, command: `${command} ` } : { is: 'unknown' };
}

function ask(program: string, args: string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    // Fixed date format, whatever the caller's language and time zone.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
}
