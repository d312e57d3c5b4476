// The sender that is preselected for an SMS.
import { expect, test } from 'vitest';
import { findSoleSender } from './sender-field.tsx';

const active = (id: string) => ({ id, status: 'active' });
const draft = (id: string) => ({ id, status: 'draft' });

test('the sole active sender is preselected, or the sole sender if none is active', () => {
  expect(findSoleSender([])).toBeUndefined();
  expect(findSoleSender([draft('a')])).toBe('a');
  expect(findSoleSender([draft('a'), active('b')])).toBe('b');
  expect(findSoleSender([draft('a'), draft('b')])).toBeUndefined();
  expect(findSoleSender([active('a'), active('b')])).toBeUndefined();
});
