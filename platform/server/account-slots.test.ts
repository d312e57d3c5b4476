import { expect, test } from 'vitest';
import { AccountSlots } from './account-slots.ts';

test('an account holds a limited number of slots, and failed work frees its slot', async () => {
  const places = new AccountSlots(2);
  const ends: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  const [one, two] = [places.runInSlot(1, work), places.runInSlot(1, work)];
  await expect(places.runInSlot(1, work)).rejects.toMatchObject({ code: 'too_many_requests' });
  const otherHold = places.runInSlot(2, work);
  expect(ends).toHaveLength(3);
  ends[0]?.(new Error('broken'));
  await expect(one).rejects.toThrow('broken');
  expect(await places.runInSlot(1, async () => 'again')).toBe('again');
  ends[1]?.();
  ends[2]?.();
  await Promise.all([two, otherHold]);
});
