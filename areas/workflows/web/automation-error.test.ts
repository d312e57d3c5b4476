// @vitest-environment jsdom
// Error messages on the automation screens.
import { beforeAll, expect, it } from 'vitest';
import { ApiError } from '#platform/web/api-error.ts';
import { areaTexts, startTexts } from '#platform/web/texts/texts.ts';
import { formatAutomationError } from './automation-error.ts';

beforeAll(async () => {
  await startTexts();
  await areaTexts(['workflows']);
});

const createError = (status: number, code: string, message: string) =>
  new ApiError({ status, code, message, errors: {}, showsServerMessage: false });

it.each([
  ['a server error', createError(500, 'server_error', 'Boom')],
  ['an error without a message', createError(400, 'http_400', '')],
])('the automation screens show their own message for %s', (_, error) => {
  expect(formatAutomationError(error)).toBe('Server error, try again later.');
});

it.each([
  ['an error with a message', createError(409, 'not_ready', 'It has no steps.')],
  ['invalid fields', createError(422, 'invalid', '')],
  ['too many requests', createError(429, 'too_many_requests', '')],
  ['a call without a response', createError(0, 'network', '')],
])('the automation screens show the general message for %s', (_, error) => {
  expect(formatAutomationError(error)).toBeUndefined();
});
