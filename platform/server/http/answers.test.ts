import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataAnswer, Done, listAnswer } from '../../contract.ts';
import { V2Done, v2Saved } from '../../v2-contract.ts';
import { envelopeOf } from './answers.ts';

test('an answer with data alone gets its envelope, also around null', () => {
  expect(envelopeOf(dataAnswer(z.number().nullable()))(1)).toEqual({ data: 1 });
  expect(envelopeOf(dataAnswer(z.null()))(null)).toEqual({ data: null });
});

test('an answer of success alone needs no value', () => {
  expect(envelopeOf(Done)(undefined)).toEqual({ success: true });
});

test('an answer with further fields is sent unchanged', () => {
  const list = { data: [1] };
  expect(envelopeOf(listAnswer(z.number()))(list)).toBe(list);
  const counted = { success: true, count: 2 };
  expect(envelopeOf(Done.extend({ count: z.number() }))(counted)).toBe(counted);
  const saved = { success: true, message: 'Saved', data: 1 };
  expect(envelopeOf(v2Saved(z.number()))(saved)).toBe(saved);
  const done = { success: true, message: 'Deleted' };
  expect(envelopeOf(V2Done)(done)).toBe(done);
  expect(envelopeOf(undefined)(done)).toBe(done);
});
