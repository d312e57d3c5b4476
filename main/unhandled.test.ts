// A process that outlives promises nobody waits for, as each role's does.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
  import { outliveRejections } from '#main/unhandled.ts';
  outliveRejections();
  const fail = async () => { throw new Error('odd key'); };
  void fail();
  setTimeout(() => console.log('still here'), 20);
`;

test('a promise that nobody waits for is logged with its stack, and the process goes on', async () => {
  const args = ['--input-type=module', '-e', SCRIPT];
  const env = { ...process.env, VITEST: '' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toContain('still here');
  expect(stderr).toMatch(/nobody waits for.*odd key.*at fail/);
});
