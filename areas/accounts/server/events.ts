// Events that accounts publishes for higher areas, and questions that these areas answer.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';
import type { Reach } from '../contract.ts';

/**
 * Requests a system email with the secret of a link. system-emails handles it in the same
 * transaction.
 */
export const systemEmailNeeded = defineEvent<{
  kind: 'password_reset' | 'email_verification';
  accountId: number;
  userId: number;
  email: string;
  language: string;
  /** The one-time secret of the link, which is never stored in plain text. */
  secret: string;
}>('accounts.letter_needed');

/**
 * A sign-in method changed; an email notifies the user, at the previous address if the address
 * changed.
 */
export const signInChanged = defineEvent<{
  kind: 'email_changed' | 'password_changed' | 'passkey_added' | 'identity_added';
  accountId: number;
  userId: number;
  /** The email's recipient address. */
  email: string;
  language: string;
  /**
   * The new address, '' if the address is unchanged. It is shortened to `n…@shop.example`, because
   * the email goes to the previous address, which may belong to another person.
   */
  newEmail: string;
  /** The name of a connected identity provider, otherwise ''. */
  provider: string;
  at: Date;
}>('accounts.sign_in_changed');

/** An API token expires within a week; an email notifies the account's owner. */
export const tokenExpiring = defineEvent<{
  accountId: number;
  tokenId: number;
  title: string;
  expiresAt: Date;
}>('accounts.token_expiring');

/**
 * An API token or a connected assistant was used from a new country; an email notifies the
 * account's owner and the user whom it acts for.
 */
export const usedFromNewCountry = defineEvent<{
  accountId: number;
  kind: 'token' | 'assistant';
  id: number;
  /** The user that the credential belongs to. */
  userId: number;
  title: string;
  /** Two letters by ISO 3166-1. */
  country: string;
  ip: string;
  at: Date;
}>('accounts.used_from_new_country');

/** Collects SMTP users that a user created in an account. */
export const smtpUsersMade = defineQuestion<
  { accountId: number; userId: number },
  { id: number; title: string; last_used_at: Date | null; created_at: Date }
>('accounts.smtp_users_made');

/**
 * Access of this user must end. With `ids`, these SMTP users, which the user created, are deleted.
 * Without `ids`, all SMTP users that the user created are deleted, and the user's connections of
 * assistants end.
 */
export const accessKeysEnded = defineEvent<{
  accountId: number;
  userId: number;
  ids?: readonly number[];
}>('accounts.smtp_users_ended');

/** Whether the account's emails go to the built-in inbox of this installation. */
export const emailsStay = defineQuestion<{ accountId: number }, boolean>('accounts.emails_stay');

/** The plan ID of an account without a paid order. */
export const unpaidPlan = defineQuestion<{ accountId: number }, 'free' | 'unlimited'>(
  'accounts.unpaid_plan',
);

/** Names of assistants, including disconnected ones. */
export const assistantNames = defineQuestion<
  { accountId: number; ids: readonly number[] },
  { id: number; name: string }
>('accounts.assistant_names');

/** The number of subscribers who may get messages, by channel, and the number who no longer may. */
export const reachQuestion = defineQuestion<{ accountId: number }, Reach>('accounts.reach');

/** An account was created. */
export const accountOpened = defineEvent<{ accountId: number; userId: number; language: string }>(
  'accounts.opened',
);

/**
 * An account is about to be deleted with all its rows; handlers delete its data outside the
 * database.
 */
export const accountRemoved = defineEvent<{ accountId: number }>('accounts.removed');

/** Requests an invitation email. */
export const invitationSent = defineEvent<{
  accountId: number;
  email: string;
  language: string;
  /** The display name of the inviting user. */
  inviter: string;
  company: string;
  /** The last part of the link: the account's ID and the secret. */
  token: string;
}>('accounts.invitation_sent');
