// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a?page=1":"{}"}</script>`;
});

test('an answer of the page is taken once, by the call that asks for just that', async () => {
  const { takeEarlyAnswer } = await import('./early-answers.ts');
  expect(takeEarlyAnswer('/a')).toBeUndefined();
  expect(takeEarlyAnswer('/a?page=1')).toBe('{}');
  expect(takeEarlyAnswer('/a?page=1')).toBeUndefined();
  expect(document.getElementById('early-answers')).toBeNull();
});

test('after a change, or much later, it is not believed', async () => {
  const first = await import('./early-answers.ts');
  first.forgetEarlyAnswers();
  expect(first.takeEarlyAnswer('/a?page=1')).toBeUndefined();

  vi.resetModules();
  document.body.innerHTML = `<script type="application/json" id="early-answers">{"/a":"{}"}</script>`;
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  const later = await import('./early-answers.ts');
  expect(later.takeEarlyAnswer('/a')).toBeUndefined();
  vi.restoreAllMocks();
});
