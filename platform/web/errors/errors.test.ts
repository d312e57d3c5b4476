// @vitest-environment jsdom
// Each kind of failure has its message.
import { beforeAll, expect, it } from 'vitest';
import { ApiError, type ApiErrorFacts } from '../api-error.ts';
import { errorTexts } from './errors.ts';
import { startTexts } from '../texts/texts.ts';

const generic =
  'An error has occurred. Please try again later. If the error persists, please contact support.';

beforeAll(startTexts);

function createError(details: Partial<ApiErrorFacts>): ApiError {
  return new ApiError({
    status: 400,
    code: 'x',
    message: '',
    errors: {},
    showsServerMessage: false,
    ...details,
  });
}

it.each<[string, Partial<ApiErrorFacts>, { title?: string; message: string }]>([
  ['429', { status: 429 }, { message: 'Too many requests. Please try again later.' }],
  ['a failure without a message', { status: 400 }, { message: generic }],
  ['500', { status: 500 }, { message: `${generic} Reason: server error.` }],
  [
    '404',
    { status: 404 },
    { message: `${generic} Reason: resource not found or you don't have permission.` },
  ],
  [
    '500 with a generic message',
    { status: 500, code: 'server_error', message: 'Server error, try again later.' },
    { message: `${generic} Reason: server error.` },
  ],
  [
    '404 with a generic message',
    { status: 404, code: 'not_found', message: 'This does not exist.' },
    { message: `${generic} Reason: resource not found or you don't have permission.` },
  ],
  ['a message', { message: 'Taken' }, { title: 'An error has occurred', message: 'Taken' }],
  [
    '500 with a message',
    { status: 500, message: 'Boom' },
    { title: 'Server error', message: 'Boom' },
  ],
  [
    'a raw message',
    { status: 500, message: 'As it is', showsServerMessage: true },
    { message: 'As it is' },
  ],
  [
    '422',
    { status: 422, message: 'Invalid', errors: { title: ['Too long.', 'Odd.'], size: ['Big.'] } },
    { message: 'title: Too long. Odd.\nsize: Big.' },
  ],
])('has a message for %s', (_, details, expected) => {
  expect(errorTexts(createError(details))).toEqual(expected);
});

it('an error other than a failed call has the generic message', () => {
  expect(errorTexts(new Error('x'))).toEqual({ message: generic });
});
