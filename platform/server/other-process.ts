// What the system says of a process by its number: numbers are given again, so before one is signalled
// or believed to be ours, its command and the time of its start must say so.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type OtherProcess =
  | { is: 'gone' }
  /** `born` tells it from a later one of the same number; `command` has its arguments, without quotes. */
  | { is: 'alive'; born: string; command: string }
  /** There is one, but the system does not say what. */
  | { is: 'unknown' };

const GONE: OtherProcess = { is: 'gone' };

export function readProcess(pid: number, platform: NodeJS.Platform): OtherProcess {
  if (!isThere(pid)) return GONE;
  try {
    if (platform === 'linux') return readProc(pid);
    return platform === 'win32' ? askWindows(pid) : askPs(pid);
  } catch {
    // It may have ended while it was asked about.
    return isThere(pid) ? { is: 'unknown' } : GONE;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readProc(pid: number): OtherProcess {
  // State, then 18 more to the start time; the name before them may hold spaces.
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
    // Dates in one spelling, whatever the language and the time zone of who asks.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
}
