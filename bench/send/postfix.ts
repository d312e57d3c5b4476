// Starts Postfix's smtp-sink and measures its smtp-source, for benchmarks.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const env = { ...process.env, PATH: `/usr/sbin:${process.env['PATH'] ?? ''}` };

export function isInstalled(name: string): boolean {
  try {
    execFileSync('which', [name], { env, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Messages per second, and microseconds of CPU per message. A value that was not measured is NaN.
 */
export type SourceSpeed = { perSecond: number; cpu: number };

/** Measures smtp-source while it sends the file `count` times over parallel sessions. */
export async function runSource(
  port: number,
  file: string,
  count: number,
  sessions: number,
): Promise<SourceSpeed> {
  const startedAt = performance.now();
  const cpuBefore = cpuOfEndedChildren();
  const child = spawn(
    'smtp-source',
    [
      ...['-d', '-s', `${sessions}`, '-m', `${count}`, '-F', file],
      ...['-f', 'news@tea.example', '-t', 'person@example.com', `127.0.0.1:${port}`],
    ],
    { env, stdio: 'inherit' },
  );
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`);
  const perSecond = (count * 1_000) / (performance.now() - startedAt);
  return { perSecond, cpu: (cpuOfEndedChildren() - cpuBefore) / count };
}

/**
 * Returns the microseconds of CPU that the ended child processes of this process used. Linux counts
 * them in ticks of 10 ms, see proc(5); on other systems, the result is NaN.
 */
function cpuOfEndedChildren(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The program's name may contain any characters, so only the fields after it are split:
  // `fields[0]` is field 3 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

/** Starts smtp-sink, which accepts every email and stores none. */
export async function startSink(port: number): Promise<ChildProcess> {
  // smtp-sink refuses to run as root without the option -u.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const sink = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '1000'], {
    env,
    stdio: 'inherit',
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isAccepting(port)) return sink;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  sink.kill();
  throw new Error('smtp-sink did not start');
}

function isAccepting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
