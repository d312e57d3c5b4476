// @vitest-environment jsdom
// Each request body has its own UUID as idempotency key, even if it contains non-Latin text.
import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useIdempotencyKey } from './use-key-of.ts';

it('keeps the key while the body is unchanged and creates another key for a changed body', () => {
  const { result, rerender } = renderHook(() => useIdempotencyKey());
  const first = result.current({ title: 'Šventė' });
  rerender();
  expect(result.current({ title: 'Šventė' })).toBe(first);
  const second = result.current({ title: 'جشن' });
  expect(second).not.toBe(first);
  for (const key of [first, second]) expect(key).toMatch(/^[\da-f-]{36}$/);
});
