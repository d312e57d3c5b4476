// Accounts take turns in image processing; an animation with too many frames is refused.
import { expect, test } from 'vitest';
import { runInTurn } from './image-queue.ts';
import { readImageFile } from './image-file.ts';

test('an image of a second account does not wait for all waiting images of the first account', async () => {
  const order: string[] = [];
  const runSlowly = (account: number, name: string) =>
    runInTurn(account, async () => {
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
  await Promise.all([
    runSlowly(1, 'a1'),
    runSlowly(1, 'a2'),
    runSlowly(1, 'a3'),
    runSlowly(2, 'b1'),
  ]);
  expect(order.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
});

test('a small animated GIF with too many frames is refused', async () => {
  const frame = Buffer.from('2c000000000100010000020244010000', 'hex').subarray(0, 15);
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex');
  const gif = Buffer.concat([head, ...Array<Buffer>(1_500).fill(frame), Buffer.from(';')]);
  await expect(readImageFile(gif)).rejects.toMatchObject({ code: 'image_too_many_pixels' });
});
