// @vitest-environment jsdom
// Texts of errors on the automation screens.
import { beforeAll, expect, it } from 'vitest';
import { ApiError } from '#platform/web/api-error.ts';
import { areaTexts, startTexts } from '#platform/web/texts/texts.ts';
import { automationMessage } from './automation-error.ts';

beforeAll(async () => {
  await startTexts();
  await areaTexts(['workflows']);
});

const failed = (status: number, code: string, message: string) =>
  new ApiError({ status, code, message, errors: {}, rawMessage: false });

it.each([
  ['an error of the server', failed(500, 'server_error', 'Boom'), 'Server error, try again later.'],
  ['no message', failed(400, 'http_400', ''), 'Server error, try again later.'],
  ['a message', failed(409, 'not_ready', 'It has no steps.'), undefined],
  ['fields', failed(422, 'invalid', ''), undefined],
  ['too many requests', failed(429, 'too_many_requests', ''), undefined],
  ['no answer', failed(0, 'network', ''), undefined],
])('%s', (_, error, message) => {
  expect(automationMessage(error)).toBe(message);
});
