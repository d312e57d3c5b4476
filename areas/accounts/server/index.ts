// The public interface of accounts, for higher areas.
import type { Right } from '#platform/rights.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { AddressProvider } from './address-provider.ts';
import { addressRoutes } from './address-routes.ts';
import { firstPagePlugin } from './first-page.ts';
import { housekeepingPoller } from './housekeeping.ts';
import { configureSignIn } from './identities.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { configureOperators } from './operator-sessions.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { configurePasskeys } from './passkeys.ts';
import { publicAccountRoutes } from './public-routes.ts';
import { configurePush, pushJob } from './push-job.ts';
import { dropNoticesNaming } from './push.ts';
import { pushRoutes } from './push-routes.ts';
import { accountRoutes } from './routes.ts';
import { endSessionJob } from './sessions.ts';
import { settingsRoutes } from './settings-routes.ts';
import { forgottenPasswordJob } from './sign-in.ts';
import { configureTestTools } from './test-tools.ts';
import { twoFactorRoutes } from './two-factor-routes.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { notFound } from '#platform/server/errors.ts';
import { tokenExpiryPoller } from './token-expiry.ts';
import * as store from './accounts.sql.ts';
import { rewriteTokens } from './settings.sql.ts';

export function area(config: Config, providers: { addresses: AddressProvider }): Area {
  return {
    name: 'accounts',
    description: 'Accounts and their users: profiles, roles, sign-in, sessions and API tokens.',
    routes: [
      ...accountRoutes({ signUp: config.signUp }),
      ...settingsRoutes(config.smtpUrl !== undefined),
      ...twoFactorRoutes,
      ...passkeyRoutes,
      ...oidcRoutes(config.publicUrl),
      ...pushRoutes,
      ...publicAccountRoutes,
      ...addressRoutes(providers.addresses),
    ],
    eventHandlers: [on(addressesErased, eraseFromTexts(dropNoticesNaming, rewriteTokens))],
    // With an external sign-in service, or while sign-up is closed, there is no sign-up page to
    // redirect to.
    plugins: config.authUrl || config.signUp === 'closed' ? [] : [firstPagePlugin],
    jobs: [forgottenPasswordJob, endSessionJob, pushJob],
    pollers: [housekeepingPoller, tokenExpiryPoller],
    setUp: () => {
      configurePush({ publicUrl: config.publicUrl, from: config.systemSender });
      configurePasskeys(config.publicUrl);
      configureTestTools(config);
      configureSignIn(config.signIn);
      configureOperators(config.billing.operatorEmails);
    },
  };
}

export { listAccessKeys } from './access.ts';
export {
  assistantNames,
  emailsStay,
  unpaidPlan,
  invitationSent,
  reachQuestion,
  systemEmailNeeded,
  signInChanged,
  accessKeysEnded,
  smtpUsersMade,
  tokenExpiring,
  usedFromNewCountry,
  accountRemoved,
} from './events.ts';
export { type CredentialStore, recordCountry } from './countries-of-use.ts';
export {
  findSampleAccount,
  leaveSampleAccount,
  lockSampleAccount,
  openSampleAccount,
} from './sample-accounts.ts';
export { testToolsFor } from './test-tools.ts';
export { isOperator } from './operator-sessions.ts';
export { authenticate, requireLiveSession } from './sessions.ts';
export { createToken } from './api-tokens.ts';
export { readRights } from './rights.ts';
export { listTokenTitles } from './settings.sql.ts';
export { findUsersById } from './accounts.sql.ts';
export type { Reach } from '../contract.ts';
export type { AddressProvider } from './address-provider.ts';
export { forEachAccount } from './for-each-account.ts';
export { isZone } from './zones.ts';
export { hashPassword } from './passwords.ts';
export { notifyBrowsers } from './push.ts';
export type { BrowserNotice } from './push-job.ts';
export { signUp } from './sign-in.ts';
export { countAccounts, listAccounts, type ListedAccount } from './all-accounts.sql.ts';

export type AccountDetails = store.AccountRow;

/**
 * Returns the account's row.
 * @throws `not_found`
 */
export async function readAccount(db: Reader, accountId: number): Promise<AccountDetails> {
  const account = await store.findAccount(db, accountId);
  if (!account) throw notFound();
  return account;
}

/** Returns a user of this account, or undefined for users of other accounts. */
export function readMember(
  db: Reader,
  accountId: number,
  userId: number,
): Promise<store.UserRow | undefined> {
  return store.findMember(db, accountId, userId);
}

/** Returns the given addresses (lower case) that belong to users of the account. */
export async function findUsersAmong(
  db: Reader,
  accountId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  return new Set(await store.findMemberEmailKeys(db, accountId, keys));
}

/** Finds the recipient of system emails about the account: its oldest member. */
export function findOwner(db: Reader, accountId: number): Promise<store.UserRow | undefined> {
  return store.findOwner(db, accountId);
}

/** Lists members with campaign notifications and a verified address. */
export function listNotifiedMembers(db: Reader, accountId: number): Promise<store.UserRow[]> {
  return store.listNotifiedMembers(db, accountId);
}

/** Lists members who have the right. */
export function listMembersWithRight(
  db: Reader,
  accountId: number,
  right: Right,
): Promise<store.UserRow[]> {
  return store.listMembersWithRight(db, accountId, right);
}

/** Lists email addresses of an account's members except one, newest member first. */
export function listOtherEmails(
  db: Reader,
  accountId: number,
  userId: number,
  limit: number,
): Promise<string[]> {
  return store.listOtherEmails(db, accountId, userId, limit);
}

export type AccountFlag =
  | 'subscriber_added_at'
  | 'campaign_created_at'
  | 'domain_verified_at'
  | 'email_sent_at'
  | 'report_viewed_at';

/** Sets an onboarding flag on the first occurrence of its action. */
export async function markAccount(tx: Tx, accountId: number, flag: AccountFlag): Promise<void> {
  await store.setFlagOnce(tx, accountId, flag, clock.now());
}

/**
 * Updates accounts.subscriber_count; called in the transaction that adds or removes subscribers.
 */
export async function countSubscribers(
  tx: Tx,
  accountId: number,
  difference: number,
): Promise<void> {
  if (difference === 0) return;
  await store.addToSubscriberCount(tx, accountId, difference);
}

/**
 * Waits for all transactions that add or remove subscribers; later ones wait until this transaction
 * ends.
 */
export const waitForSubscribers = store.lockSubscriberCount;

/** Stores the order and the end of the account's plan; null means no paid order. */
export function saveActivePlan(
  tx: Tx,
  accountId: number,
  plan: { orderId: number; validTo: Date } | null,
): Promise<void> {
  return store.saveActivePlan(tx, accountId, plan, clock.now());
}

/** Stores the tracking settings of the account's emails. */
export function saveTrackingSettings(
  tx: Tx,
  accountId: number,
  measuring: { opens: boolean; clicks: boolean },
): Promise<void> {
  return store.saveTrackingSettings(tx, accountId, measuring, clock.now());
}

/**
 * Returns the postal address for emails, one line per part; empty without a street, a city or a
 * country.
 */
export function formatPostalAddress(account: AccountDetails): string[] {
  if (!account.address || !account.city || !account.country) return [];
  const country =
    new Intl.DisplayNames('en', { type: 'region' }).of(account.country) ?? account.country;
  const town = [account.zip_code, account.city, account.state].filter(Boolean).join(', ');
  return [account.title, account.address, town, country].filter((line) => line !== '');
}

/** Lists IDs of accounts after the given one, for work that visits every account. */
export function listAccountsAfter(db: Db, afterId: number, limit = 1000): Promise<number[]> {
  return store.listAccountsAfter(db, afterId, limit);
}
