// Stripe's error codes lead to a message at the field concerned. Errors that concern no field are
// thrown, so that the form shows its own message.
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { CARD_FORM } from './card-form.ts';

/** Submits the form while Stripe responds with this error; returns the fields that show errors. */
async function submitWithError(error: object): Promise<string[]> {
  const shownFields: string[] = [];
  let begin: (data: object) => Promise<() => Promise<unknown>> = () => Promise.reject(new Error());
  runInNewContext(CARD_FORM.script, {
    cardForm: {
      words: {},
      showError: (name: string) => shownFields.push(name),
      mount: (started: typeof begin) => (begin = started),
    },
    Stripe: () => ({
      elements: () => ({ create: () => ({ mount: () => {}, on: () => {} }) }),
      createPaymentMethod: async () => ({ error }),
    }),
    document: { body: {} },
    getComputedStyle: () => ({}),
  });
  const submit = await begin({ token: 'pk_test' });
  expect(await submit()).toBe(null);
  return shownFields;
}

test.each([
  ['incomplete_number', 'number'],
  ['invalid_number', 'number'],
  ['incomplete_expiry', 'expiry'],
  ['invalid_expiry_year', 'expiry'],
  ['invalid_expiry_year_past', 'expiry'],
  ['invalid_expiry_month_past', 'expiry'],
  ['incomplete_cvc', 'code'],
  ['invalid_cvc', 'code'],
])('%s is shown at the field %s', async (code, field) => {
  expect(await submitWithError({ type: 'validation_error', code })).toEqual([field]);
});

test('a lost connection is not shown as an invalid number', async () => {
  const error = { type: 'api_connection_error' };
  await expect(submitWithError(error)).rejects.toBe(error);
});
