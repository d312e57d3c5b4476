// Thumbnail pages are rendered once, and again after a failure or their removal from the cache. A
// rendering that takes too long returns an error with Retry-After.
import { expect, test, vi } from 'vitest';
import { AppError } from '#platform/server/errors.ts';
import { ContentError } from '../personalization/message-source.ts';
import { Thumbnails } from './thumbnails.ts';

test('concurrent and later requests for a version share one rendering', async () => {
  const pages = new Thumbnails();
  const render = vi.fn<() => Promise<string>>(async () => '<p>Tea</p>');
  const concurrent = await Promise.all([pages.getPage('1', render), pages.getPage('1', render)]);
  expect([...concurrent, await pages.getPage('1', render)]).toEqual(Array(3).fill('<p>Tea</p>'));
  expect(render).toHaveBeenCalledTimes(1);
  expect(await pages.getPage('2', async () => '<p>Pots</p>')).toBe('<p>Pots</p>');
});

test('a rendering that is too slow returns 503, and a retry renders again', async () => {
  const pages = new Thumbnails();
  const failSlowly = () => Promise.reject(new AppError('document_too_slow'));
  await expect(pages.getPage('1', failSlowly)).rejects.toMatchObject({
    code: 'unavailable',
    details: { retryAfterSeconds: 2 },
  });
  expect(await pages.getPage('1', async () => 'made')).toBe('made');
});

test('content with errors has an empty page, and other errors are thrown', async () => {
  const pages = new Thumbnails();
  const page = await pages.getPage('1', () => Promise.reject(new ContentError([])));
  expect(page).toMatch(/^<!doctype html>/);
  await expect(pages.getPage('2', () => Promise.reject(new Error('Bug')))).rejects.toThrow('Bug');
});

test('the least recently used pages are dropped at the limit', async () => {
  const pages = new Thumbnails();
  const largeHtml = 'x'.repeat(1_999_999);
  const render = vi.fn<() => Promise<string>>(async () => largeHtml);
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', '1', '9'])
    await pages.getPage(key, render);
  expect(render).toHaveBeenCalledTimes(9);
  await pages.getPage('1', render);
  expect(render).toHaveBeenCalledTimes(9);
  await pages.getPage('2', render);
  expect(render).toHaveBeenCalledTimes(10);
});
