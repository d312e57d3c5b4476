// An undeclared reverse proxy causes a warning at startup.
import { expect, test, vi } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';
import { warnIfProxyIsUnset } from './proxy.ts';

const PRODUCTION = {
  SECRET: 'a secret of the tests, thirty-two characters and more',
  SMTP_URL: 'smtp://relay.example',
};

test.each([
  ['https://mail.example', undefined, 1],
  ['https://mail.example', '', 1],
  ['https://mail.example', '1', 0],
  ['https://mail.example', 'none', 0],
  ['http://mail.example', undefined, 0],
])('PUBLIC_URL %s with TRUST_PROXY %s warns %d times', (PUBLIC_URL, TRUST_PROXY, times) => {
  const warnings: string[] = [];
  const spy = vi.spyOn(log, 'warn').mockImplementation((message) => void warnings.push(message));
  warnIfProxyIsUnset(loadConfig({ ...PRODUCTION, PUBLIC_URL, TRUST_PROXY }));
  spy.mockRestore();
  expect(warnings).toHaveLength(times);
  for (const warning of warnings) expect(warning).toContain('Set TRUST_PROXY=1');
});
