// The sender that is chosen without the user: the only usable one.
import { expect, test } from 'vitest';
import { soleSender } from './sender-field.tsx';

const active = (id: string) => ({ id, status: 'active' });
const draft = (id: string) => ({ id, status: 'draft' });

test('the only active sender is chosen, otherwise the only one, otherwise none', () => {
  expect(soleSender([])).toBeUndefined();
  expect(soleSender([draft('a')])).toBe('a');
  expect(soleSender([draft('a'), active('b')])).toBe('b');
  expect(soleSender([draft('a'), draft('b')])).toBeUndefined();
  expect(soleSender([active('a'), active('b')])).toBeUndefined();
});
