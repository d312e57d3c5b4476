// What a process has at hand of a limit: never more than is needed soon, and none of it twice.
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '#platform/server/database.ts';
import { testDatabase } from '#testing/database.ts';
import { Stock } from './stock.ts';

const db = createDatabase(await testDatabase());

/** Ten a second: a slice of it is three. */
const LIMITS = { perMinute: 600 };
const MOST_AT_HAND = 4;

/** Counts how often it says that there is more. */
function openStock(key: string, demand: number) {
  let told = 0;
  const more = () => {
    told++;
  };
  const stock = new Stock(db, key, LIMITS, { more, demand: () => demand });
  onTestFinished(() => stock.close());
  return { stock, told: () => told };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('what nobody takes does not gather, however many hand-overs to others wait', async () => {
  const { stock, told } = openStock('others', 100);
  const atHand: number[] = [];
  for (let i = 0; i < 6; i++) {
    atHand.push(stock.room());
    await wait(400);
  }
  expect(Math.max(...atHand)).toBeGreaterThan(0);
  expect(Math.max(...atHand)).toBeLessThanOrEqual(MOST_AT_HAND);
  expect(told()).toBeLessThan(12);
});

test('once nobody asks any more, it draws no more: what was wanted by then is no need', async () => {
  const { stock, told } = openStock('paused', 0);
  stock.room(5_000);
  await wait(2_000);
  const before = told();
  await wait(1_000);
  expect(told()).toBe(before);
  let left = 0;
  while (stock.take()) left++;
  expect(left).toBeLessThanOrEqual(MOST_AT_HAND);
});

test('who takes all the time gets the whole pace', async () => {
  const { stock } = openStock('taken', 100);
  let taken = 0;
  const begun = performance.now();
  while (performance.now() - begun < 3_000) {
    while (stock.take()) taken++;
    await wait(10);
  }
  expect(taken).toBeGreaterThan(24);
  expect(taken).toBeLessThanOrEqual(31);
});
