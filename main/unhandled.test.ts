// A process that logs its errors survives unhandled rejections.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
  import { logProcessErrors } from '#main/unhandled.ts';
  logProcessErrors();
  const fail = async () => { throw new Error('odd key'); };
  void fail();
  setTimeout(() => console.log('still here'), 20);
`;

test('an unhandled rejection is logged with its stack and does not end the process', async () => {
  const args = ['--input-type=module', '-e', SCRIPT];
  const env = { ...process.env, VITEST: '' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toContain('still here');
  expect(stderr).toMatch(/Unhandled promise rejection.*odd key.*at fail/);
});
