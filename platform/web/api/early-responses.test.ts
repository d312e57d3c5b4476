// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a?page=1":"{}"}</script>`;
});

test('an embedded response is used once, by exactly the matching call', async () => {
  const { consumeEarlyResponse } = await import('./early-responses.ts');
  expect(consumeEarlyResponse('/a')).toBeUndefined();
  expect(consumeEarlyResponse('/a?page=1')).toBe('{}');
  expect(consumeEarlyResponse('/a?page=1')).toBeUndefined();
  expect(document.getElementById('early-answers')).toBeNull();
});

test('an embedded response is discarded after a change or a delay', async () => {
  const first = await import('./early-responses.ts');
  first.clearEarlyResponses();
  expect(first.consumeEarlyResponse('/a?page=1')).toBeUndefined();

  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a":"{}"}</script>`;
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  const laterModule = await import('./early-responses.ts');
  expect(laterModule.consumeEarlyResponse('/a')).toBeUndefined();
  vi.restoreAllMocks();
});
