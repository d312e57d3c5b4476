// Error bodies of the public API: the message alone states what is wrong.
import { expect, test } from 'vitest';
import { publicErrorBody } from './v2.ts';

test.each([
  [
    'an invalid value',
    { code: 'invalid', message: 'Not valid.', errors: { to: ['Required.'], cc: ['Too long.'] } },
    { message: 'Not valid. to: Required.', errors: { to: ['Required.'], cc: ['Too long.'] } },
  ],
  [
    'invalid content',
    { code: 'content_invalid', message: 'Not valid.', errors: { html: ['No link.'] } },
    { message: 'No link.', errors: { html: ['No link.'] } },
  ],
  [
    'a refusal without a field',
    { code: 'too_many_stores', message: 'No more stores.' },
    { message: 'No more stores.', errors: { too_many_stores: ['No more stores.'] } },
  ],
  [
    'a reason that is the message',
    { code: 'conditions_missing', message: 'Add one.', errors: { conditions: ['Add one.'] } },
    { message: 'Add one.', errors: { conditions: ['Add one.'] } },
  ],
])('%s is explained by message and errors', (_, body, shown) => {
  expect(publicErrorBody(body, 422)).toEqual({ success: false, code: body.code, ...shown });
});

test('an error with another status keeps its code and message', () => {
  const body = { code: 'not_found', message: 'Not found.' };
  expect(publicErrorBody(body, 404)).toEqual({ success: false, ...body });
});
