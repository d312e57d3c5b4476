// An email that a user writes to one subscriber: a single transactional message.
import type { SendingOptions } from '#areas/content/server/index.ts';
import type { SubscriptionStatus } from '#areas/subscribers/shared.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { sendCall } from '#areas/transactional/server/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { KeyedCall } from '#platform/server/http/idempotency.sql.ts';

type PersonalEmail = {
  subscriberId: number;
  from_name: string;
  from_email: string;
  subject: string;
  text: string;
};

/** Subscribers who opted out, complained or bounced get no email, not even a personal one. */
const WRITABLE: ReadonlySet<SubscriptionStatus> = new Set<SubscriptionStatus>([
  'active',
  'non-subscribed',
]);

export async function sendEmail(
  db: Db,
  accountId: number,
  { subscriberId, from_name: name, from_email: email, subject, text }: PersonalEmail,
  { options, keyed }: { options: SendingOptions; keyed: KeyedCall | undefined },
): Promise<void> {
  const subscriber = await readSubscriber(db, accountId, subscriberId);
  if (subscriber.email === null) throw new AppError('no_address');
  if (![subscriber.email_status, subscriber.temail_status].every((status) => WRITABLE.has(status)))
    throw new AppError('email_unwanted');
  const to = { email: subscriber.email, name: getName(subscriber) };
  const call = { from: { name, email }, to, subject, text, hasLiteralBraces: true };
  await sendCall(db, accountId, call, options, keyed);
}

function getName({ firstname, lastname }: { firstname: string | null; lastname: string | null }) {
  return [firstname, lastname].filter(Boolean).join(' ') || undefined;
}
