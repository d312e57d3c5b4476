// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a?page=1":"{}"}</script>`;
});

test('an embedded response is used once, by exactly the matching call', async () => {
  const { takeEarlyAnswer } = await import('./early-answers.ts');
  expect(takeEarlyAnswer('/a')).toBeUndefined();
  expect(takeEarlyAnswer('/a?page=1')).toBe('{}');
  expect(takeEarlyAnswer('/a?page=1')).toBeUndefined();
  expect(document.getElementById('early-answers')).toBeNull();
});

test('an embedded response is discarded after a change or a delay', async () => {
  const first = await import('./early-answers.ts');
  first.clearEarlyAnswers();
  expect(first.takeEarlyAnswer('/a?page=1')).toBeUndefined();

  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a":"{}"}</script>`;
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  const later = await import('./early-answers.ts');
  expect(later.takeEarlyAnswer('/a')).toBeUndefined();
  vi.restoreAllMocks();
});
