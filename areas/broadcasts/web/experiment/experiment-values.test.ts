// The form of an experiment: the body that it sends, combinations of values, and shares.
import { expect, it } from 'vitest';
import {
  alikeVariants,
  toExperimentBody,
  combine,
  emptyVariant,
  type ExperimentValues,
  partsOf,
  experimentFormValues,
} from './experiment-values.ts';

const email = (change: Partial<ExperimentValues>): ExperimentValues => ({
  ...experimentFormValues(undefined, 'email'),
  ...change,
});
const variant = (change: object) => ({ ...emptyVariant(), ...change });

it('sends only the compared fields, and no values for the control', () => {
  const body = toExperimentBody(
    email({
      fields: ['subject'],
      variants: [
        emptyVariant(),
        variant({ id: 'v2', subject: ' Tea ', from_name: 'Anna', delay: 5 }),
      ],
    }),
    'email',
  );
  expect(body.variants).toEqual([
    {},
    {
      ...{ id: 'v2', subject: 'Tea', preheader: null, from_name: null },
      ...{ has_own_content: false, delay_minutes: null },
    },
  ]);
  const sms = toExperimentBody(
    { ...experimentFormValues(undefined, 'sms'), fields: ['delay'] },
    'sms',
  );
  expect(sms.variants).toEqual([{}, { text: null, delay_minutes: null }]);
});

it('creates a variant of every combination, and keeps existing variants', () => {
  const known = variant({ id: 'v2', subject: 'B', from_name: 'Anna' });
  const combined = combine(
    email({ fields: ['subject', 'from_name'], variants: [emptyVariant(), known] }),
  );
  expect(combined?.map(({ id, subject, from_name: name }) => [id, subject, name])).toEqual([
    [null, '', ''],
    [null, 'B', ''],
    [null, '', 'Anna'],
    ['v2', 'B', 'Anna'],
  ]);
});

it('offers no combinations of a single field or of contents, nor if there would be more than eight or no new ones', () => {
  const two = [emptyVariant(), variant({ subject: 'B', from_name: 'Anna' })];
  expect(combine(email({ fields: ['subject'], variants: two }))).toBeUndefined();
  expect(
    combine(email({ fields: ['subject', 'from_name', 'content'], variants: two })),
  ).toBeUndefined();
  const others = ['B', 'C'].map((text) =>
    variant({ subject: text, from_name: text, preheader: text }),
  );
  const fields = ['subject', 'from_name', 'preheader'] as const;
  expect(
    combine(email({ fields: [...fields], variants: [emptyVariant(), ...others] })),
  ).toBeUndefined();
  const combined = combine(email({ fields: ['subject', 'from_name'], variants: two })) ?? [];
  expect(combine(email({ fields: ['subject', 'from_name'], variants: combined }))).toBeUndefined();
});

it('reports variants without a difference', () => {
  const values = email({
    fields: ['subject'],
    variants: [emptyVariant(), variant({ subject: 'B' }), variant({ from_name: 'Anna' })],
  });
  expect(alikeVariants(values)).toEqual([[1, 3]]);
});

it('divides the recipients among variants, the winner and the control group', () => {
  expect(partsOf({ variants: 2, testShare: 20, holdoutShare: 10 })).toEqual([
    { kind: 'variant', number: 1, share: 10 },
    { kind: 'variant', number: 2, share: 10 },
    { kind: 'winner', number: 0, share: 70 },
    { kind: 'nothing', number: 0, share: 10 },
  ]);
  expect(partsOf({ variants: 2, testShare: 100, holdoutShare: 0 })).toHaveLength(2);
});
