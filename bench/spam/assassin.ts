// Runs SpamAssassin on many messages concurrently, with a local DNS server. Network blocklists are
// not queried.
import { execFileSync, spawn } from 'node:child_process';
import { testDns, type DnsZone } from '#testing/servers/dns-server.ts';
import type { SampleEmail } from './emails.ts';

type SpamVerdict = { name: string; score: number; rules: Map<string, number> };

export function isSpamAssassinAvailable(): boolean {
  try {
    execFileSync('spamassassin', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Scores all messages in one process, because starting it takes a second. */
export async function scoreEmails(
  emails: readonly SampleEmail[],
  zone: DnsZone,
): Promise<SpamVerdict[]> {
  const dns = await testDns();
  for (const [name, records] of zone) dns.zone.set(name, records);
  try {
    const box = emails.map(({ bytes }) => `From x Thu Jan  1 00:00:00 2026\n${lines(bytes)}\n`);
    const text = await run('spamassassin', buildSettings(dns.address), box.join(''));
    const statuses = text.matchAll(/^X-Spam-Status: ([\s\S]*?)^\S[\s\S]*?^Message-ID: <([^@]+)@/gm);
    const names = new Map(emails.map(({ id, name }) => [id, name]));
    return [...statuses].map(([, status = '', id = '']) => verdictOf(names.get(id) ?? id, status));
  } finally {
    await dns.close();
  }
}

/** Converts a message for an mbox file: line feeds as line ends, and escaped "From " lines. */
function lines(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replace(/^From /gm, '>From ');
}

function buildSettings(dnsServer: string): string[] {
  const settings = [
    `dns_server ${dnsServer}`,
    'dns_available yes',
    'skip_rbl_checks 1',
    'skip_uribl_checks 1',
    'use_bayes 0',
    'use_auto_welcomelist 0',
    'report_safe 0',
    'clear_headers',
    'add_header all Status score=_SCORE_ tests=_TESTSSCORES(,)_ end',
  ];
  return ['--mbox', ...settings.flatMap((line) => ['--cf', line])];
}

function run(command: string, parameters: string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    child.stdin.end(input, 'latin1');
  });
}

function verdictOf(name: string, text: string): SpamVerdict {
  const flat = text.replace(/\s+/g, '');
  const score = Number(/score=(-?[\d.]+)/.exec(flat)?.[1]);
  const tests = /tests=(.*?)end/.exec(flat)?.[1] ?? '';
  const rules = tests.split(',').map((part): [string, number] => {
    const [rule = '', points = '0'] = part.split('=');
    return [rule, Number(points)];
  });
  return { name, score, rules: new Map(rules) };
}
