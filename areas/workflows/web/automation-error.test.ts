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
  ['a server error', failed(500, 'server_error', 'Boom'), 'Server error, try again later.'],
  ['an error without a message', failed(400, 'http_400', ''), 'Server error, try again later.'],
  ['an error with a message', failed(409, 'not_ready', 'It has no steps.'), undefined],
  ['invalid fields', failed(422, 'invalid', ''), undefined],
  ['too many requests', failed(429, 'too_many_requests', ''), undefined],
  ['a call without a response', failed(0, 'network', ''), undefined],
])('the message of the automation screens about %s', (_, error, message) => {
  expect(automationMessage(error)).toBe(message);
});
