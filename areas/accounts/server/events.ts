// What accounts announces upward.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A letter must go out with this link's secret; handled by letters, in the same transaction. */
export const letterNeeded = defineEvent<{
  kind: 'password_reset' | 'email_verification';
  accountId: number;
  userId: number;
  email: string;
  language: string;
  /** The one-time secret of the link; not stored anywhere in the clear. */
  secret: string;
}>('accounts.letter_needed');

/** How a user signs in was changed: a letter must tell the address that it held for until then. */
export const signInChanged = defineEvent<{
  kind: 'email_changed' | 'password_changed' | 'passkey_added';
  accountId: number;
  userId: number;
  /** Where the letter goes. */
  email: string;
  language: string;
  /** Shortened: the old address may have another reader by now. '' where the address stays. */
  newEmail: string;
  at: Date;
}>('accounts.sign_in_changed');

/** SMTP users that a user made in an account. */
export const smtpUsersMade = defineQuestion<
  { accountId: number; userId: number },
  { id: number; title: string; last_used_at: Date | null; created_at: Date }
>('accounts.smtp_users_made');

/** SMTP users that a user made must end; all of them, where no ids are named. */
export const smtpUsersEnded = defineEvent<{
  accountId: number;
  userId: number;
  ids?: readonly number[];
}>('accounts.smtp_users_ended');

/** Whether the account's emails stay on this machine, in the built-in inbox. */
export const emailsStay = defineQuestion<{ accountId: number }, boolean>('accounts.emails_stay');

/** The id that an account's plan has while the account has no paid order. */
export const unpaidPlan = defineQuestion<{ accountId: number }, 'free' | 'unlimited'>(
  'accounts.unpaid_plan',
);

/** An account was opened. */
export const accountOpened = defineEvent<{ accountId: number; userId: number; language: string }>(
  'accounts.opened',
);

/** An invitation must be mailed. */
export const invitationSent = defineEvent<{
  accountId: number;
  email: string;
  language: string;
  /** Who invites, as a person would say it. */
  inviter: string;
  company: string;
  /** Goes into the link; says its account. */
  token: string;
}>('accounts.invitation_sent');
