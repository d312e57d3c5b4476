// The audit log of users' and programs' actions: search, export and retention.
import { z } from 'zod';
import { dataResponse, Day, defineCalls, Id, idOf, Instant } from '#platform/contract.ts';
import { ACTORS, MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from './shared.ts';

export const AuditEntry = z.object({
  id: Id,
  at: Instant,
  action: z.string().describe('Area and call, such as `campaigns.schedule`'),
  subject: z.string().nullable().describe('ID of the object'),
  actor: z
    .enum(ACTORS)
    .describe(
      'session: a user; token: a program; agent: a connected assistant; system: the product itself',
    ),
  user: z
    .object({ id: Id, name: z.string().nullable(), email: z.string().nullable() })
    .nullable()
    .describe(
      'The user who acted or whose token was used; name and email are null if the user was removed',
    ),
  token: z.object({ id: Id, title: z.string() }).nullable(),
  assistant: z.string().nullable().describe('Name of the connected assistant'),
  ip: z.string().nullable(),
  fields: z.array(z.string()).describe('Names of the fields that were set'),
  before: z.unknown(),
  after: z.unknown(),
  count: z.number().nullable().describe('Number of objects of a bulk action'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const filters = {
  user: idOf('user').optional(),
  actor: z.enum(ACTORS).optional(),
  action: z
    .string()
    .regex(/^[a-z-]{1,40}(\.[a-zA-Z]{1,60})?$/)
    .optional()
    .describe('An area, or an area and a call'),
  subject: z
    .string()
    .regex(/^[a-zA-Z0-9]{1,60}$/)
    .optional(),
  from: Day.optional().describe('First day in the time zone of the account'),
  to: Day.optional().describe('Last day in the time zone of the account'),
};

const Settings = z.object({
  retention_days: z.number().int().min(MIN_RETENTION_DAYS).max(MAX_RETENTION_DAYS),
});

export const calls = defineCalls({
  listAudit: {
    method: 'GET',
    path: '/client-api/api/audit',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'List audit log entries',
    description:
      'Returns the newest first. To continue the list, pass `next` as `before`. Filters are combined.',
    query: z.strictObject({
      ...filters,
      before: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    response: z.object({ data: z.array(AuditEntry), next: z.string().nullable() }),
  },
  exportAudit: {
    method: 'GET',
    path: '/client-api/api/audit/export',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Export the audit log as CSV',
    description: 'Accepts the same filters as the list. Also requires the right `admin`.',
    query: z.strictObject(filters),
    transaction: 'own',
    slots: 'export',
  },
  readAuditSettings: {
    method: 'GET',
    path: '/client-api/api/audit/settings',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'Get the retention of the audit log',
    response: dataResponse(Settings),
  },
  saveAuditSettings: {
    method: 'PUT',
    path: '/client-api/api/audit/settings',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    audit: ['retention_days'],
    summary: 'Set the retention of the audit log',
    description: 'Older entries are deleted within the hour and cannot be restored.',
    body: z.strictObject(Settings.shape),
    response: dataResponse(Settings),
  },
});
