// Transactional SMS in the public API: one number per call, and the state of an SMS.
import { z } from 'zod';
import { dataResponse, defineCalls, Id, line, text } from '#platform/contract.ts';
import { FlexibleFlag, V2Time } from '#platform/v2-contract.ts';
import { MAX_TEXT_LENGTH } from '../sms/shared.ts';
import { MAX_NAME_LENGTH, SMS_STATES, MAX_TITLE_LENGTH } from './shared.ts';

const Phone = line(64, 1);

export const publicSmsCalls = defineCalls({
  sendText: {
    method: 'POST',
    path: '/v2/sms/send',
    caller: 'account',
    requiredRight: 'transactional',
    audit: 'none',
    summary: 'Send a transactional SMS',
    description:
      'The SMS is queued, and quiet hours do not apply. Numbers that opted out are accepted, and the SMS is skipped. A merge tag without a value returns 422.',
    body: z.object({
      to: z
        .union([
          z.object({ phone: Phone, name: line(MAX_NAME_LENGTH).optional() }),
          Phone.transform((phone) => ({ phone, name: undefined })),
        ])
        .describe('A phone number with country code (E.164).'),
      from: line(64, 1)
        .optional()
        .describe(
          'A sender number or name of the account. It is optional if exactly one is ready.',
        ),
      text: text(MAX_TEXT_LENGTH, 1),
      title: line(MAX_TITLE_LENGTH)
        .optional()
        .describe('Messages with the same title share their statistics.'),
      variables: z
        .record(z.string().max(255), z.union([z.string().max(2_000), z.number(), z.boolean()]))
        .optional()
        .describe('Values of merge tags. Everything that differs between messages belongs here.'),
      add_organization_name: FlexibleFlag.optional(),
      append_opt_out: FlexibleFlag.optional(),
    }),
    response: z.object({
      success: z.literal(true),
      message: z.string(),
      smsId: Id,
      reportId: Id,
      parts: z.number(),
      encoding: z.enum(['GSM-7', 'UCS-2']),
    }),
    errors: {
      phone_not_active: 422,
      number_out_of_reach: 422,
      content_invalid: 422,
      not_enough_credit: 422,
      no_text_provider: 422,
      too_many_text_titles: 422,
    },
    example: {
      body: {
        to: '+37060000001',
        from: 'Tea shop',
        text: 'Order {{ number }} is on its way: https://tea.example/orders/{{ number }}',
        title: 'Order shipped',
        variables: { number: 7 },
      },
    },
  },
  readText: {
    method: 'GET',
    path: '/v2/sms/{id}',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get a transactional SMS',
    description:
      '`status` is the delivery status, and `reason` explains why the SMS was skipped or not delivered.',
    params: z.object({ id: z.string().max(60) }),
    response: dataResponse(
      z.object({
        id: Id,
        reportId: Id.nullable(),
        to: z.string(),
        from: z.string(),
        status: z.enum(SMS_STATES),
        reason: z
          .string()
          .nullable()
          .describe('The reason why the message was skipped or not delivered.'),
        parts: z.number().nullable(),
        created: V2Time,
        sent: V2Time.nullable(),
        delivered: V2Time.nullable(),
      }),
    ),
    example: { params: { id: '$SMS_ID' } },
  },
});
