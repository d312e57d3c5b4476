import { expect, test, vi } from 'vitest';
import { processAccounts } from './each-account.ts';

vi.mock('#platform/server/log.ts', () => ({ log: { error: vi.fn<() => void>() } }));

test('a failure in one account is logged and does not block other accounts', async () => {
  const { log } = await import('#platform/server/log.ts');
  const dueCounts = new Map([
    [1, 2],
    [2, 1],
    [3, 2],
  ]);
  const visitedAccounts: number[] = [];
  const startedCount = await processAccounts([1, 2, 3], async (account) => {
    visitedAccounts.push(account);
    if (account === 2) throw new Error('the account cannot be read');
    const remaining = dueCounts.get(account) ?? 0;
    dueCounts.set(account, remaining - 1);
    return remaining > 0;
  });
  expect(startedCount).toBe(4);
  expect(visitedAccounts).toEqual([1, 1, 1, 2, 3, 3, 3]);
  expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
    account: 2,
    error: expect.any(Error),
  });
});
