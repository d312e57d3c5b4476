// The form of an experiment: the body that it sends, combinations of values, and shares.
import { expect, it } from 'vitest';
import {
  findIdenticalVariants,
  toExperimentBody,
  combineFields,
  createEmptyVariant,
  type ExperimentValues,
  splitRecipients,
  experimentFormValues,
} from './experiment-values.ts';

const email = (change: Partial<ExperimentValues>): ExperimentValues => ({
  ...experimentFormValues(undefined, 'email'),
  ...change,
});
const variant = (change: object) => ({ ...createEmptyVariant(), ...change });

it('sends only the compared fields, and no values for the control', () => {
  const body = toExperimentBody(
    email({
      fields: ['subject'],
      variants: [
        createEmptyVariant(),
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

it('creates a variant for every combination and keeps existing variants', () => {
  const existingVariant = variant({ id: 'v2', subject: 'B', from_name: 'Anna' });
  const combinations = combineFields(
    email({ fields: ['subject', 'from_name'], variants: [createEmptyVariant(), existingVariant] }),
  );
  expect(combinations?.map(({ id, subject, from_name: name }) => [id, subject, name])).toEqual([
    [null, '', ''],
    [null, 'B', ''],
    [null, '', 'Anna'],
    ['v2', 'B', 'Anna'],
  ]);
});

it('offers no combinations for a single field, for content, beyond eight variants, or if none is new', () => {
  const twoVariants = [createEmptyVariant(), variant({ subject: 'B', from_name: 'Anna' })];
  expect(combineFields(email({ fields: ['subject'], variants: twoVariants }))).toBeUndefined();
  expect(
    combineFields(email({ fields: ['subject', 'from_name', 'content'], variants: twoVariants })),
  ).toBeUndefined();
  const otherVariants = ['B', 'C'].map((text) =>
    variant({ subject: text, from_name: text, preheader: text }),
  );
  const fields = ['subject', 'from_name', 'preheader'] as const;
  expect(
    combineFields(
      email({ fields: [...fields], variants: [createEmptyVariant(), ...otherVariants] }),
    ),
  ).toBeUndefined();
  const combinations =
    combineFields(email({ fields: ['subject', 'from_name'], variants: twoVariants })) ?? [];
  expect(
    combineFields(email({ fields: ['subject', 'from_name'], variants: combinations })),
  ).toBeUndefined();
});

it('reports variants that do not differ', () => {
  const values = email({
    fields: ['subject'],
    variants: [createEmptyVariant(), variant({ subject: 'B' }), variant({ from_name: 'Anna' })],
  });
  expect(findIdenticalVariants(values)).toEqual([[1, 3]]);
});

it('divides the recipients among variants, the winner and the control group', () => {
  expect(splitRecipients({ variants: 2, testShare: 20, holdoutShare: 10 })).toEqual([
    { kind: 'variant', number: 1, percentage: 10 },
    { kind: 'variant', number: 2, percentage: 10 },
    { kind: 'winner', number: 0, percentage: 70 },
    { kind: 'nothing', number: 0, percentage: 10 },
  ]);
  expect(splitRecipients({ variants: 2, testShare: 100, holdoutShare: 0 })).toHaveLength(2);
});
