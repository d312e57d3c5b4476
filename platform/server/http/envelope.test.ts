import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataResponse, SuccessResponse, listResponse } from '../../contract.ts';
import { V2SuccessResponse, v2Saved } from '../../v2-contract.ts';
import { selectEnvelope } from './envelope.ts';

test('a data-only response gets an envelope, even if the data is null', () => {
  expect(selectEnvelope(dataResponse(z.number().nullable()))(1)).toEqual({ data: 1 });
  expect(selectEnvelope(dataResponse(z.null()))(null)).toEqual({ data: null });
});

test('a success-only response needs no value', () => {
  expect(selectEnvelope(SuccessResponse)(undefined)).toEqual({ success: true });
});

test('a response with more fields than data and success is sent unchanged', () => {
  const list = { data: [1] };
  expect(selectEnvelope(listResponse(z.number()))(list)).toBe(list);
  const countedResponse = { success: true, count: 2 };
  expect(selectEnvelope(SuccessResponse.extend({ count: z.number() }))(countedResponse)).toBe(
    countedResponse,
  );
  const savedResponse = { success: true, message: 'Saved', data: 1 };
  expect(selectEnvelope(v2Saved(z.number()))(savedResponse)).toBe(savedResponse);
  const doneResponse = { success: true, message: 'Deleted' };
  expect(selectEnvelope(V2SuccessResponse)(doneResponse)).toBe(doneResponse);
  expect(selectEnvelope(undefined)(doneResponse)).toBe(doneResponse);
});
