// The sender that is preselected for an SMS.
import { expect, test } from 'vitest';
import { soleSender } from './sender-field.tsx';

const active = (id: string) => ({ id, status: 'active' });
const draft = (id: string) => ({ id, status: 'draft' });

test('the sole active sender is preselected, or the sole sender if none is active', () => {
  expect(soleSender([])).toBeUndefined();
  expect(soleSender([draft('a')])).toBe('a');
  expect(soleSender([draft('a'), active('b')])).toBe('b');
  expect(soleSender([draft('a'), draft('b')])).toBeUndefined();
  expect(soleSender([active('a'), active('b')])).toBeUndefined();
});
