import { expect, test, vi } from 'vitest';
import { eachAccount } from './each-account.ts';

vi.mock('#platform/server/log.ts', () => ({ log: { error: vi.fn<() => void>() } }));

test('a failure in one account is logged and does not block other accounts', async () => {
  const { log } = await import('#platform/server/log.ts');
  const due = new Map([
    [1, 2],
    [2, 1],
    [3, 2],
  ]);
  const visited: number[] = [];
  const started = await eachAccount([1, 2, 3], async (account) => {
    visited.push(account);
    if (account === 2) throw new Error('the account cannot be read');
    const remaining = due.get(account) ?? 0;
    due.set(account, remaining - 1);
    return remaining > 0;
  });
  expect(started).toBe(4);
  expect(visited).toEqual([1, 1, 1, 2, 3, 3, 3]);
  expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
    account: 2,
    error: expect.any(Error),
  });
});
