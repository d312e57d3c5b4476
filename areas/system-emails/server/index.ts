// The area of system emails. In the transaction of an event, it queues emails and browser
// notifications that inform users about the event, or an email to a visitor of a store.
import {
  findOwner,
  invitationSent,
  listAccessKeys,
  listOtherEmails,
  readMember,
  signInChanged,
  systemEmailNeeded,
} from '#areas/accounts/server/index.ts';
import { billingEmailNeeded } from '#areas/billing/server/index.ts';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { domainEmailNeeded, isVerifiedSender } from '#areas/domains/server/index.ts';
import { exportReady } from '#areas/exports/server/index.ts';
import {
  consentRequested,
  customerDataRequested,
  readConnectedStoreTitles,
  storeFailing,
} from '#areas/stores/server/index.ts';
import { readSubscribers } from '#areas/subscribers/server/index.ts';
import { endpointDisabled, endpointUrls } from '#areas/webhooks/server/index.ts';
import { getWorkflowTitle, noticeNeeded } from '#areas/workflows/server/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, LOCALE } from '#platform/languages.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { EventHandler } from '#platform/server/events.ts';
import { jobAbandoned } from '#platform/server/jobs/jobs.ts';
import { hashSecret } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { createApprovalNotices } from './approval-notices.ts';
import { BROWSER_NOTICES } from './browser-notices.ts';
import { createCampaignNotices } from './campaign-notices.ts';
import { createCredentialNotices } from './credential-notices.ts';
import { createHealthHandler } from './health-alerts.ts';
import { createPilotNotices } from './pilot-notices.ts';
import {
  createSystemEmailSource,
  type SystemEmailKind,
  type SystemEmailOptions,
} from './system-email.ts';

type EventPayload<E> = E extends { announce(tx: Tx, event: infer F): unknown } ? F : never;

type SystemEmail = {
  accountId: number;
  kind: SystemEmailKind;
  language: string;
  email: string;
  /**
   * The token that authenticates the reader or identifies the button's target; encrypted until
   * delivery.
   */
  token: string;
  /** Distinguishes emails with the same token. */
  occasion?: string;
  values?: Record<string, string>;
};

/** Maximum number of subscribers named in one notice. */
const MAX_SUBSCRIBERS_NAMED = 5;

export function area(config: Config): Area {
  const options = { publicUrl: config.publicUrl, from: config.systemSender };
  const handlers = createHandlers(options);
  return {
    name: 'system-emails',
    description: 'Emails that Sendloom sends to users, such as password resets and alerts.',
    eventHandlers: [
      on(systemEmailNeeded, handlers.onAccount),
      on(signInChanged, handlers.onSignInChanged),
      on(invitationSent, handlers.onInvitation),
      on(domainEmailNeeded, handlers.onDomain),
      on(exportReady, handlers.onExport),
      on(healthChanged, handlers.onHealth),
      on(billingEmailNeeded, handlers.onBilling),
      on(noticeNeeded, handlers.onNotice),
      on(endpointDisabled, handlers.onEndpoint),
      on(storeFailing, handlers.onStore),
      on(customerDataRequested, handlers.onDataRequest),
      on(jobAbandoned, handlers.onJobAbandoned),
      on(consentRequested, handlers.onConsent),
      ...BROWSER_NOTICES,
      ...createCampaignNotices((tx, email) => sendSystemEmail(tx, email, options)),
      ...createApprovalNotices((tx, email) => sendSystemEmail(tx, email, options)),
      ...createCredentialNotices((tx, email) => sendSystemEmail(tx, email, options)),
      ...createPilotNotices((tx, email) => sendSystemEmail(tx, email, options)),
    ],
  };
}

type Send = (tx: Tx, email: SystemEmail) => Promise<void>;

/** Creates the handlers of all events that need a system email. */
function createHandlers(options: SystemEmailOptions) {
  const send: Send = (tx, email) => sendSystemEmail(tx, email, options);
  return {
    ...createUserHandlers(send),
    ...createOwnerHandlers(send),
    onJobAbandoned: createJobAbandonedHandler(send),
    onConsent: createShopperHandler(options),
  };
}

const CHANGES = {
  email_changed: 'emailChanged',
  password_changed: 'passwordChanged',
  passkey_added: 'passkeyAdded',
  identity_added: 'identityAdded',
} as const;

/** Handlers that send emails to users: verification, invitations, changes of sign-in. */
function createUserHandlers(send: Send) {
  const onAccount: EventHandler<EventPayload<typeof systemEmailNeeded>> = (tx, event) =>
    send(tx, {
      ...event,
      kind: event.kind === 'password_reset' ? 'passwordReset' : 'verification',
      token: event.secret,
    });
  const onSignInChanged: EventHandler<EventPayload<typeof signInChanged>> = async (tx, event) =>
    send(tx, {
      accountId: event.accountId,
      kind: CHANGES[event.kind],
      language: event.language,
      email: event.email,
      token: '',
      occasion: `${event.kind} ${event.userId} ${event.at.getTime()}`,
      values: {
        new_email: event.newEmail && toUnicodeDomain(event.newEmail),
        provider: event.provider,
        ...(event.kind === 'password_changed' && (await listRemainingAccess(tx, event))),
      },
    });
  const onInvitation: EventHandler<EventPayload<typeof invitationSent>> = (tx, event) => {
    const values = { inviter: event.inviter, company_name: event.company };
    return send(tx, {
      ...event,
      kind: event.company ? 'invitation' : 'invitationUntitled',
      values,
    });
  };
  const onDomain: EventHandler<EventPayload<typeof domainEmailNeeded>> = (tx, event) =>
    send(tx, {
      ...event,
      kind: 'domainConfirmation',
      values: { domain: toUnicodeDomain(event.domain) },
    });
  const onExport: EventHandler<EventPayload<typeof exportReady>> = async (tx, event) => {
    const { accountId, userId, secret: token } = event;
    const user = await readMember(tx, accountId, userId);
    // A user who left the account could not open the link.
    if (!user) return;
    const { email, language } = user;
    await send(tx, { accountId, kind: 'exportReady', language, email, token });
  };
  return { onAccount, onSignInChanged, onInvitation, onDomain, onExport };
}

const MAX_ACCESS_NAMED = 10;

/**
 * Lists the other users, webhooks, stores and access keys that have access to the account or get
 * its data. The email about a changed password names them, in case an intruder changed the
 * password.
 */
async function listRemainingAccess(
  tx: Tx,
  { accountId, userId, at }: EventPayload<typeof signInChanged>,
): Promise<Record<string, string>> {
  const formatNames = (titles: readonly string[]) => {
    const ellipsis = titles.length > MAX_ACCESS_NAMED ? ' …' : '';
    return titles.length === 0 ? '–' : `${titles.slice(0, MAX_ACCESS_NAMED).join(', ')}${ellipsis}`;
  };
  const keys = await listAccessKeys(tx, userId, at);
  const users = await listOtherEmails(tx, accountId, userId, MAX_ACCESS_NAMED + 1);
  return {
    users: formatNames(users.map(toUnicodeDomain)),
    webhooks: formatNames(await endpointUrls(tx, accountId, MAX_ACCESS_NAMED + 1)),
    stores: formatNames(await readConnectedStoreTitles(tx, accountId)),
    keys: formatNames(keys.map(({ title }) => title)),
  };
}

/**
 * Creates handlers that send emails to owners: payments, workflow notices, disabled webhooks,
 * failing stores, the health of domains, and requests for a customer's data.
 */
const createOwnerHandlers = (send: Send) => ({
  onBilling: createBillingHandler(send),
  onNotice: createNoticeHandler(send),
  onEndpoint: createEndpointHandler(send),
  onStore: storeHandler(send),
  onHealth: createHealthHandler(send),
  onDataRequest: createDataRequestHandler(send),
});

function createBillingHandler(send: Send): EventHandler<EventPayload<typeof billingEmailNeeded>> {
  return async (tx, event) => {
    const owner = await findOwner(tx, event.accountId);
    if (!owner) return;
    const { token = '', ...values } = event.values;
    const language = isLanguage(owner.language) ? owner.language : 'eng';
    const number = new Intl.NumberFormat(LOCALE[language]);
    for (const name of ['figure', 'limit']) {
      if (values[name] !== undefined) values[name] = number.format(Number(values[name]));
    }
    await send(tx, {
      accountId: event.accountId,
      kind: event.kind,
      language,
      email: owner.email,
      token,
      occasion: event.occasion,
      values,
    });
  };
}

function createNoticeHandler(send: Send): EventHandler<EventPayload<typeof noticeNeeded>> {
  return async (tx, event) => {
    const { accountId, workflowId, stepId, subscriberIds: ids, message, at } = event;
    const owner = await findOwner(tx, accountId);
    if (!owner) return;
    const subscribers = await readSubscribers(tx, accountId, ids.slice(0, MAX_SUBSCRIBERS_NAMED));
    const names = subscribers
      .map((subscriber) => toUnicodeDomain(subscriber.email ?? subscriber.phone ?? ''))
      .join(', ');
    const remainder =
      ids.length > subscribers.length ? ` (+${ids.length - subscribers.length})` : '';
    await send(tx, {
      accountId,
      kind: 'workflowNotice',
      language: owner.language,
      email: owner.email,
      token: encodeId('workflow', workflowId),
      occasion: `notice ${stepId} ${at.getTime()} ${ids[0]}`,
      values: {
        mail_subject: (await getWorkflowTitle(tx, accountId, workflowId)) ?? '',
        reply: message,
        email: `${names}${remainder}`,
      },
    });
  };
}

function createEndpointHandler(send: Send): EventHandler<EventPayload<typeof endpointDisabled>> {
  return async (tx, event) => {
    const owner = await findOwner(tx, event.accountId);
    if (!owner) return;
    await send(tx, {
      accountId: event.accountId,
      kind: event.isDeleted ? 'webhookGone' : 'webhookFailed',
      language: owner.language,
      email: owner.email,
      token: encodeId('endpoint', event.endpointId),
      occasion: `endpoint disabled ${event.at.getTime()}`,
      values: { endpoint: event.url },
    });
  };
}

function storeHandler(send: Send): EventHandler<EventPayload<typeof storeFailing>> {
  return async (tx, event) => {
    const owner = await findOwner(tx, event.accountId);
    if (!owner) return;
    await send(tx, {
      accountId: event.accountId,
      kind: 'storeFailing',
      language: owner.language,
      email: owner.email,
      token: '',
      occasion: `store failing ${event.storeId} ${event.since.getTime()}`,
      values: { store: event.title },
    });
  };
}

/**
 * Creates the handler of data requests. The email's button searches for the subscriber; that page
 * exports the data. The token is the address to search for.
 */
function createDataRequestHandler(
  send: Send,
): EventHandler<EventPayload<typeof customerDataRequested>> {
  return async (tx, event) => {
    const owner = await findOwner(tx, event.accountId);
    if (!owner) return;
    await send(tx, {
      accountId: event.accountId,
      kind: 'storeDataRequest',
      language: owner.language,
      email: owner.email,
      token: event.email,
      occasion: `store data request ${event.storeId} ${event.request}`,
      values: { store: event.title, customer: event.email },
    });
  };
}

/**
 * Creates a handler that notifies an account's owner about a job of the account that repeatedly
 * killed its process.
 */
function createJobAbandonedHandler(send: Send): EventHandler<EventPayload<typeof jobAbandoned>> {
  return async (tx, { accountId, job, afterKills, workKey }) => {
    const owner = await findOwner(tx, accountId);
    if (!owner) return;
    const language = isLanguage(owner.language) ? owner.language : 'eng';
    const t = serverTexts('system-emails', language);
    await send(tx, {
      accountId,
      kind: afterKills === 'stop' ? 'workGivenUp' : 'cleanupDelayed',
      language,
      email: owner.email,
      token: '',
      occasion: `given up ${job} ${workKey}`,
      values: { work: t(`work.${job.replace('.', '_')}`) },
    });
  };
}

/**
 * Creates a handler that sends an email to a visitor of a store in the store's name: from the
 * owner's address if its domain is verified, otherwise from the installation's. The email contains
 * no text that the visitor typed.
 */
function createShopperHandler(
  options: SystemEmailOptions,
): EventHandler<EventPayload<typeof consentRequested>> {
  return async (tx, event) => {
    const { accountId, storeId, subscriberId, title, token } = event;
    const owner = await findOwner(tx, accountId);
    const language = isLanguage(owner?.language) ? owner.language : 'eng';
    const source = createSystemEmailSource(accountId, 'storeConsent', language, options);
    const isOwn = owner !== undefined && (await isVerifiedSender(tx, accountId, owner.email));
    await sendOne(tx, {
      ...{ accountId, kind: isOwn ? 'confirmation' : 'letter', sourceId: isOwn ? storeId : null },
      source: {
        ...source,
        company: title,
        from: { name: title, email: isOwn ? owner.email : source.from.email },
      },
      recipient: event.email,
      subscriberId,
      values: { token, store: title },
      idempotencyKey: hashSecret(token).toString('base64url'),
      isSecret: true,
    });
  };
}

async function sendSystemEmail(
  tx: Tx,
  email: SystemEmail,
  options: SystemEmailOptions,
): Promise<void> {
  const { accountId, kind } = email;
  const language = isLanguage(email.language) ? email.language : 'eng';
  await sendOne(tx, {
    accountId,
    kind: 'letter',
    sourceId: null,
    source: createSystemEmailSource(accountId, kind, language, options),
    recipient: email.email,
    values: { ...email.values, token: email.token },
    idempotencyKey: hashSecret([email.token, email.occasion].filter(Boolean).join(' ')).toString(
      'base64url',
    ),
    isSecret: true,
  });
}
