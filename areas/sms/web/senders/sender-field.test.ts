// The sender that is chosen without the user: the only usable one.
import { expect, test } from 'vitest';
import { onlyOf } from './sender-field.tsx';

const active = (id: string) => ({ id, status: 'active' });
const draft = (id: string) => ({ id, status: 'draft' });

test('the only active sender is chosen, otherwise the only one, otherwise none', () => {
  expect(onlyOf([])).toBeUndefined();
  expect(onlyOf([draft('a')])).toBe('a');
  expect(onlyOf([draft('a'), active('b')])).toBe('b');
  expect(onlyOf([draft('a'), draft('b')])).toBeUndefined();
  expect(onlyOf([active('a'), active('b')])).toBeUndefined();
});
