// Log lines are JSON in production and have the ID of their request; repeated warnings are counted.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configureLog, log, print, requestId, withLogFields } from './log.ts';
import { writeRepeated } from './repeated-lines.ts';

type Line = Record<string, unknown>;
let lines: Line[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const keep = (text: unknown) => {
    lines.push(JSON.parse(String(text)) as Line);
    return true;
  };
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  configureLog({ level: 'info', json: true, role: 'web' });
});

afterEach(() => {
  writeRepeated();
  configureLog({ level: 'silent', json: false, role: '' });
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const counts = () => lines.map(({ message, repeated }) => [message, repeated]);

test('a repeated warning is written once, then once a minute with its count', () => {
  const warn = (port: number) => log.warn('Lost a connection', { error: `reset on port ${port}` });
  for (let i = 0; i < 1_000; i++) warn(i);
  expect(counts()).toEqual([['Lost a connection', undefined]]);
  vi.advanceTimersByTime(60_000);
  expect(counts().slice(1)).toEqual([['Lost a connection', 999]]);
  expect(lines[1]).toMatchObject({ level: 'warn', role: 'web', error: 'reset on port 999' });
  warn(1);
  warn(2);
  vi.advanceTimersByTime(60_000);
  expect(counts().slice(2)).toEqual([['Lost a connection', 2]]);
  // After a minute without the warning, the next one is written immediately.
  vi.advanceTimersByTime(60_000);
  warn(3);
  expect(counts().slice(3)).toEqual([['Lost a connection', undefined]]);
});

test('different warnings, information and request errors are each written; a repeated poller error is not', () => {
  log.warn('Relay is unavailable', { relay: 'a' });
  log.warn('Relay is unavailable', { relay: 'b' });
  for (let i = 0; i < 3; i++) log.info('Relay recovered');
  for (const request of ['r1', 'r2']) log.error('Request failed', { request, error: 'x' });
  for (let i = 0; i < 3; i++) log.error('Poller failed', { poller: 'due', error: new Error('x') });
  expect(lines.map(({ message }) => message)).toEqual([
    ...['Relay is unavailable', 'Relay is unavailable'],
    ...['Relay recovered', 'Relay recovered', 'Relay recovered'],
    ...['Request failed', 'Request failed'],
    'Poller failed',
  ]);
});

test('counts are written when the process ends', () => {
  for (let i = 0; i < 3; i++) log.warn('Could not read the ledger');
  writeRepeated();
  expect(counts()).toEqual([
    ['Could not read the ledger', undefined],
    ['Could not read the ledger', 2],
  ]);
});

test('log lines within a request have the request ID unless their fields override it', async () => {
  await withLogFields({ request: 'r-1' }, async () => {
    await Promise.resolve();
    expect(requestId()).toBe('r-1');
    log.info('Payment refund requested', { account: 7 });
    log.info('Lost a database connection', { request: undefined });
    withLogFields({ job: 'imports', request: undefined }, () => {
      expect(requestId()).toBeUndefined();
      log.info('Imported');
    });
  });
  expect(requestId()).toBeUndefined();
  expect(lines[0]).toMatchObject({ request: 'r-1', account: 7 });
  expect(lines[1]).not.toHaveProperty('request');
  expect(lines[2]).toMatchObject({ job: 'imports' });
  expect(lines[2]).not.toHaveProperty('request');
});

test('terminal messages are written as log lines in production', () => {
  print('\nSendloom is ready\n');
  expect(lines).toMatchObject([{ level: 'info', role: 'web', message: 'Sendloom is ready' }]);
});
