// Starts a separate Postfix on its own port; its configuration and queue are in a temporary folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '#main/prepare.ts';

const POSTFIX = '/usr/sbin/postfix';
const SECONDS = 20;

/** Returns whether Postfix is installed and can be started: its master process needs root. */
export function isPostfixAvailable(): boolean {
  return existsSync(POSTFIX) && process.getuid?.() === 0;
}

export type Postfix = { port: number; stop(): Promise<void> };

/**
 * Starts Postfix. `transports` contains the route of each domain. `access` contains, by domain, the
 * replies with which Postfix rejects recipients during the SMTP session.
 */
export async function startPostfix(
  folder: string,
  transports: Record<string, string>,
  access: Record<string, string>,
): Promise<Postfix> {
  const port = (await findFreePort(0, '127.0.0.1')) as number;
  // Postfix's processes run as other users, who need access to the queue.
  chmodSync(folder, 0o755);
  const home = join(folder, 'postfix');
  for (const part of ['', 'etc', 'spool', 'data']) mkdirSync(join(home, part), { mode: 0o755 });
  execFileSync('chown', ['postfix', join(home, 'data')]);
  const etc = join(home, 'etc');
  const table = (name: string, rows: Record<string, string>) => {
    const lines = Object.entries(rows).map(([key, value]) => `${key} ${value}\n`);
    writeFileSync(join(etc, name), lines.join(''));
    return `texthash:${join(etc, name)}`;
  };
  writeFileSync(join(etc, 'master.cf'), master(port));
  writeFileSync(
    join(etc, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${join(home, 'spool')}
data_directory = ${join(home, 'data')}
mail_owner = postfix
maillog_file = /dev/stdout
myhostname = relay.tea.example
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
local_recipient_maps =
smtp_host_lookup = native
smtpd_peername_lookup = no
smtpd_client_connection_rate_limit = 0
smtpd_reject_unlisted_recipient = no
smtpd_recipient_restrictions = check_recipient_access ${table('access', access)}, permit_mynetworks, reject
transport_maps = ${table('transport', transports)}
`,
  );
  const child = spawn(POSTFIX, ['-c', etc, 'start-fg'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  if (!(await isAccepting(port, child))) {
    child.kill();
    throw new Error(`Postfix did not start: ${complaint}`);
  }
  return { port, stop: () => stop(child, etc) };
}

async function stop(child: ChildProcess, etc: string): Promise<void> {
  const exit = once(child, 'exit');
  spawn(POSTFIX, ['-c', etc, 'stop'], { stdio: 'ignore' });
  await exit;
}

async function isAccepting(port: number, child: ChildProcess): Promise<boolean> {
  for (let attempt = 0; attempt < SECONDS * 10 && child.exitCode === null; attempt++) {
    if (await greets(port)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The commands of services with sockets in public/. */
const PUBLIC = new Set(['smtpd', 'cleanup', 'qmgr', 'flush', 'postlogd']);

function master(port: number): string {
  const line = (
    name: string,
    kind: string,
    wakeUp: string,
    maxProcesses: string,
    command: string,
  ) =>
    `${name} ${kind} ${PUBLIC.has(command) ? 'n' : '-'} - n ${wakeUp} ${maxProcesses} ${command}\n`;
  return [
    line(`127.0.0.1:${port}`, 'inet', '-', '-', 'smtpd'),
    line('cleanup', 'unix', '-', '0', 'cleanup'),
    line('qmgr', 'unix', '300', '1', 'qmgr'),
    line('tlsmgr', 'unix', '1000?', '1', 'tlsmgr'),
    line('rewrite', 'unix', '-', '-', 'trivial-rewrite'),
    line('bounce', 'unix', '-', '0', 'bounce'),
    line('defer', 'unix', '-', '0', 'bounce'),
    line('trace', 'unix', '-', '0', 'bounce'),
    line('verify', 'unix', '-', '1', 'verify'),
    line('flush', 'unix', '1000?', '0', 'flush'),
    line('proxymap', 'unix', '-', '-', 'proxymap'),
    line('smtp', 'unix', '-', '-', 'smtp'),
    line('error', 'unix', '-', '-', 'error'),
    line('retry', 'unix', '-', '-', 'error'),
    line('discard', 'unix', '-', '-', 'discard'),
    line('anvil', 'unix', '-', '1', 'anvil'),
    line('scache', 'unix', '-', '1', 'scache'),
    line('postlog', 'unix-dgram', '-', '1', 'postlogd'),
  ].join('');
}
