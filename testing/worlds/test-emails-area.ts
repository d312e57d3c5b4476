// A test area whose emails are transactional, one per order. It tests the interfaces of content and
// delivery that areas other than campaigns use. The emails are stored in memory, and their content
// in the content area.
import {
  checkEmail,
  composingRoutes,
  listContentsNaming,
  type Email,
  type EmailAdapter,
  createMessageSource,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { sendOne, sendTest } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Area } from '#platform/server/area.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';

export const TEST_EMAILS_PATH = '/client-api/api/postcards';
const MANIFEST = { name: 'postcards', description: 'An area of tests only.' };

const OPTIONS: SendingOptions = { publicUrl: 'http://localhost', needsVerifiedSender: false };

const ENVELOPE: Email['envelope'] = {
  kind: 'transactional',
  subject: 'Order {{order.number}} is on its way',
  preheader: '',
  from: { name: 'Nordic Tea', email: 'orders@tea.example' },
  reply_to: '',
  language: 'eng',
};

export type TestEmailsArea = {
  area: Area;
  /** Creates an email without content; returns its public ID. */
  createEmail(accountId: number): string;
  /** Locks the email against changes. */
  lockEmail(id: string): void;
  /** Sends the email for an order; throws if the check of the email has errors. */
  send(db: Db, id: string, to: string, order: { number: number; total: number }): Promise<void>;
  /** The emails that use the field. */
  listEmailsWithField(db: Db, accountId: number, field: string): Promise<string[]>;
};

export function createTestEmails(): TestEmailsArea {
  const emails = new Map<number, Email & { isStamped?: boolean }>();
  const idOf = (number: number) => encodeId('template', number);
  const numberOf = (id: string) => [...emails.keys()].find((key) => idOf(key) === id) ?? 0;
  const find: EmailAdapter['find'] = async (_, accountId, id) => {
    const email = emails.get(id);
    if (email?.accountId !== accountId) throw notFound();
    return email;
  };
  const adapter: EmailAdapter = {
    area: 'postcards',
    basePath: TEST_EMAILS_PATH,
    kind: 'template',
    lockErrors: { postcard_stamped: 409 },
    find,
    lock: async (tx, accountId, id) => {
      const email = await find(tx, accountId, id);
      if (emails.get(id)?.isStamped) throw new AppError('postcard_stamped');
      return email;
    },
    saveContent: async (_, email, { content, kind }) => {
      const revision = email.revision + 1;
      emails.set(email.id, { ...email, content, contentKind: kind, revision });
    },
    addFindings: async (_, email, testEmail) =>
      email.content
        ? testEmail
        : [{ code: 'stamp_missing', severity: 'tip', step: 'settings', part: 'sender' }],
    sendTest,
  };
  const send = async (tx: Tx, email: Email, recipient: string, order: object) => {
    const findings = await checkEmail(tx, email, OPTIONS, adapter.addFindings);
    if (findings.some(({ severity }) => severity === 'error'))
      throw new AppError('content_invalid');
    await sendOne(tx, {
      accountId: email.accountId,
      kind: 'transactional',
      sourceId: email.id,
      source: await createMessageSource(tx, email, OPTIONS),
      recipient,
      values: { email: recipient, order: { ...order } },
      idempotencyKey: `${email.id} ${recipient}`,
    });
  };
  return {
    area: { ...MANIFEST, routes: composingRoutes(adapter, OPTIONS) },
    createEmail: (accountId) => {
      const id = emails.size + 1;
      emails.set(id, {
        accountId,
        id,
        revision: 1,
        content: undefined,
        contentKind: null,
        envelope: ENVELOPE,
        variables: [
          { name: 'order.number', title: 'Number of the order' },
          { name: 'order.total', title: 'Total' },
        ],
        sample: { order: { number: 1001, total: 40 } },
      });
      return idOf(id);
    },
    lockEmail: (id) => {
      const email = emails.get(numberOf(id));
      if (email) emails.set(email.id, { ...email, isStamped: true });
    },
    send: (db, id, to, order) =>
      inTransaction(db, (tx) => send(tx, emails.get(numberOf(id)) as Email, to, order)),
    listEmailsWithField: async (db, accountId, field) => {
      const ownEmails = [...emails.values()].filter((email) => email.accountId === accountId);
      const contentOf = (email: Email) => email.content?.content_id ?? null;
      const allIds = ownEmails.map(contentOf);
      const contentIds = await listContentsNaming(db, accountId, { field }, allIds);
      return ownEmails
        .filter((email) => contentIds.has(contentOf(email) ?? 0))
        .map(({ id }) => idOf(id));
    },
  };
}
