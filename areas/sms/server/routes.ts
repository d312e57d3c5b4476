// The endpoints of SMS.
import { audienceOf, broadcastRoutes, experimentRoutes } from '#areas/broadcasts/server/index.ts';
import { shownPerson } from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { type Caller, type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { SmsCampaign } from '../campaign-contract.ts';
import { ownCalls } from '../contract.ts';
import { SmsExperiment, SmsExperimentInput } from '../experiment-contract.ts';
import { providerCalls } from '../providers-contract.ts';
import { smsReportCalls } from '../message-report-contract.ts';
import type { Flag } from '../shared.ts';
import { answerReply, listSmsReplies } from './answers.ts';
import * as campaigns from './campaigns.ts';
import { checkSms } from './checks.ts';
import { listWithPlaces, smsItems } from './listed.ts';
import * as compliance from './compliance.ts';
import { partCost } from './cost.ts';
import * as own from './own-providers.ts';
import { smsExperiments } from './experiments.ts';
import { smsOwner } from './owner.ts';
import { findPeople } from './people.sql.ts';
import { refreshProofs } from './phone-decisions.ts';
import { readOwnership, sendCode, verifyCode } from './phone-codes.ts';
import { proofFor } from './phone-owners.ts';
import * as phones from './phones.ts';
import type { ProviderKinds } from './provider-kinds.ts';
import { testOwnProvider } from './provider-trial.ts';
import * as report from './report.ts';
import { readSettings, saveSettings, smsTextsOf } from './settings.ts';
import { TABLES } from './sms.sql.ts';
import { sendTest, sendTestOfSms } from './test-message.ts';
import { previewSms, smsSource } from './message-text.ts';
import { readSmsLinks, readSmsReport } from './message-report.ts';

export type SmsOptions = {
  publicUrl: string;
  /** The name of the installation's provider. */
  provider: string;
  /** Accepts toll-free verification forms; undefined: the user submits them at the provider. */
  verifier: compliance.Verifier | undefined;
  /** Numbers that the provider offers. */
  offered: (db: Reader) => Promise<string[]>;
  /** Factories of accounts' own providers. */
  kinds: ProviderKinds;
};

type OwnHandlers = Handlers<typeof ownCalls>;

const EXPERIMENT = { shown: SmsExperiment, input: SmsExperimentInput };

export function smsRoutes(options: SmsOptions): Route[] {
  const handlers = {
    ...draftHandlers(options),
    ...previewHandlers(options),
    ...phoneHandlers(options),
    ...complianceHandlers(options),
    ...reportHandlers(),
  };
  return [
    ...serve('sms', ownCalls, handlers),
    ...serve('sms', providerCalls, providerHandlers(options)),
    ...serve('sms', smsReportCalls, smsReportHandlers),
    ...broadcastRoutes(smsOwner(sendingOf(options)), SmsCampaign, 'sms'),
    ...experimentRoutes(smsExperiments(sendingOf(options)), EXPERIMENT, 'sms'),
    ...itemRoutes(smsItems),
  ];
}

const sendingOf = ({ publicUrl, provider }: SmsOptions) => ({
  publicUrl,
  hasProvider: provider !== 'none',
});

function draftHandlers(options: SmsOptions) {
  return {
    listSmsCampaigns: ({ tx, who, query }) => listWithPlaces(tx, who.accountId, query),
    createSmsCampaign: ({ tx, who, body }) => campaigns.createSmsCampaign(tx, who.accountId, body),
    readSmsCampaign: ({ tx, who, params }) =>
      campaigns.readSmsCampaign(tx, who.accountId, params.id),
    updateSmsCampaign: ({ tx, who, params, body: { revision, ...settings } }) =>
      campaigns.updateSmsCampaign(tx, who.accountId, params.id, revision, settings),
    deleteSmsCampaign: ({ tx, who, params }) =>
      campaigns.deleteSmsCampaign(tx, who.accountId, params.id),
    restoreSmsCampaign: ({ tx, who, params }) =>
      campaigns.restoreSmsCampaign(tx, who.accountId, params.id),
    duplicateSmsCampaign: ({ tx, who, params, body }) =>
      campaigns.duplicateSmsCampaign(tx, who.accountId, params.id, body.title),
    copyToAccount: ({ tx, who, params, body }) =>
      campaigns.copySmsToAccount(tx, who, params.id, body.account),
    checkSms: async ({ tx, who, params }) => {
      const row = await campaigns.smsRow(tx, who.accountId, params.id);
      const { waits, ...checked } = await checkSms(tx, row, sendingOf(options));
      const delays = waits.map(({ until, count }) => ({ until: until.toISOString(), count }));
      return { ...checked, waits: delays };
    },
    listSmsPreviewPeople: async ({ tx, who, query: { search = '' } }) => {
      const found = await findPeople(tx, who.accountId, search.trim());
      return found.map(({ id, firstname, lastname, phone }) => ({
        id: encodeId('subscriber', id),
        name: [firstname, lastname].filter(Boolean).join(' '),
        phone: phone ?? '',
      }));
    },
    textCost: async ({ tx, who, query: { campaign } }) => {
      const row =
        campaign === undefined ? undefined : await campaigns.smsRow(tx, who.accountId, campaign);
      const audience = row && (await audienceOf(tx, { tables: TABLES }, row));
      return partCost(tx, who.accountId, audience);
    },
  } satisfies Partial<OwnHandlers>;
}

function previewHandlers({ publicUrl }: SmsOptions) {
  return {
    sendTestText: async ({ tx, who, params, body }) => {
      const row = await campaigns.smsRow(tx, who.accountId, params.id);
      const test = { subscriberId: shownPerson(who, undefined), publicUrl };
      return { sent: await sendTest(tx, row, body.phones, test) };
    },
    sendTestOfText: async ({ tx, who, body }) => {
      const { phone_id: phoneId, phones: to } = body;
      const subscriberId = shownPerson(who, body.subscriber);
      const draft = { ...unsavedDraft(body), phoneId };
      const test = { phones: to, subscriberId, publicUrl };
      return { sent: await sendTestOfSms(tx, who.accountId, draft, test) };
    },
    previewText: async ({ tx, who, body }) => {
      const texts = await smsTextsOf(tx, who.accountId);
      const kind =
        body.phone_id == null
          ? undefined
          : ((await phones.phoneRow(tx, who.accountId, body.phone_id)).kind as 'toll_free');
      const source = smsSource(unsavedDraft(body), texts, kind);
      const person = shownPerson(who, body.subscriber);
      return previewSms(tx, who.accountId, source, person, publicUrl);
    },
  } satisfies Partial<OwnHandlers>;
}

type UnsavedSms = {
  text: string;
  add_organization_name?: Flag | undefined;
  append_opt_out?: Flag | undefined;
  google_analytics?: Flag | undefined;
};

const unsavedDraft = (body: UnsavedSms) => ({
  title: '',
  text: body.text,
  hasPrefix: body.add_organization_name !== 'FALSE',
  hasOptOut: body.append_opt_out !== 'FALSE',
  hasAnalytics: body.google_analytics === 'TRUE',
});

function phoneHandlers(options: SmsOptions) {
  const { offered, provider } = options;
  return {
    listPhones: ({ tx, who, query }) => phones.listPhones(tx, who.accountId, query.list),
    createPhone: async ({ tx, who, body: { kind, value, use_case: useCase } }) => {
      const { accountId, userId } = who;
      const proof = await proofFor(tx, accountId, userId, provider);
      return phones.createPhone(tx, accountId, { kind, value, useCase }, proof);
    },
    readPhone: ({ tx, who, params }) => phones.readPhone(tx, who.accountId, params.id),
    releasePhone: ({ tx, who, params }) => phones.releasePhone(tx, who.accountId, params.id),
    sendPhoneCode: async ({ db, who, params }) => {
      const expiresAt = await sendCode(db, who.accountId, params.id, options);
      return { expires_at: expiresAt.toISOString() };
    },
    verifyPhoneCode: ({ db, who, params, body }) =>
      verifyCode(db, who.accountId, params.id, body.code),
    offeredNumbers: async ({ tx, who }) => {
      // The installation's numbers can only be sent from through its own providers.
      const isOwn = await accountHasOwnSenders(tx, 'sms', who.accountId);
      return isOwn ? [] : (await offered(tx)).map((value) => ({ value }));
    },
    readSmsSettings: async ({ tx, who }) =>
      await readSettings(tx, who.accountId, await own.providerFor(tx, who.accountId, provider)),
    saveSmsSettings: async ({ tx, who, body }) => {
      await saveSettings(tx, who.accountId, body);
      const by = await own.providerFor(tx, who.accountId, provider);
      return readSettings(tx, who.accountId, by);
    },
  } satisfies Partial<OwnHandlers>;
}

function providerHandlers({ kinds, publicUrl, provider }: SmsOptions) {
  const refresh = (db: Db, who: Caller) =>
    inTransaction(db, (tx) => refreshProofs(tx, who, provider));
  return {
    listTextProviders: ({ tx, who }) => own.listOwnProviders(tx, who.accountId, publicUrl),
    createTextProvider: async ({ db, who, body }) => {
      const data = await own.createOwnProvider(db, who.accountId, body, publicUrl);
      await refresh(db, who);
      return data;
    },
    readTextProvider: async ({ tx, who, params }) =>
      own.present(await own.providerRow(tx, who.accountId, params.id), publicUrl),
    updateTextProvider: async ({ db, who, params, body }) => {
      const data = await own.updateOwnProvider(db, who.accountId, params.id, body, publicUrl);
      await refresh(db, who);
      return data;
    },
    removeTextProvider: async ({ tx, who, params }) => {
      await own.removeOwnProvider(tx, who.accountId, params.id);
      await refreshProofs(tx, who, provider);
    },
    testTextProvider: ({ db, who, params, body }) =>
      testOwnProvider(db, kinds, who, { id: params.id, ...body, publicUrl }),
  } satisfies Handlers<typeof providerCalls>;
}

function complianceHandlers(options: SmsOptions) {
  const { verifier, provider } = options;
  type Tx = Parameters<typeof compliance.readCompliance>[0];
  // An account's own provider decides itself, and notifies only its owner.
  const verifierFor = async (tx: Tx, accountId: number) =>
    (await accountHasOwnSenders(tx, 'sms', accountId)) ? undefined : verifier;
  const shown = async (tx: Tx, { accountId }: { accountId: number }, id: number) => {
    const isForwarded = (await verifierFor(tx, accountId)) !== undefined;
    const data = await compliance.readCompliance(tx, accountId, id, isForwarded);
    return { ...data, owner: await readOwnership(tx, accountId, id, options) };
  };
  return {
    readCompliance: ({ tx, who, params }) => shown(tx, who, params.id),
    // Refreshes senders from before ownership was introduced, and those of new operators.
    acceptTerms: async ({ tx, who, params, body, request }) => {
      await refreshProofs(tx, who, provider);
      await compliance.acceptTerms(tx, who, params.id, { ...body, ip: request.ip });
      return shown(tx, who, params.id);
    },
    saveVerification: async ({ tx, who, params, body }) => {
      await compliance.saveVerification(tx, who.accountId, params.id, body);
      return shown(tx, who, params.id);
    },
    submitVerification: async ({ tx, who, params }) => {
      await refreshProofs(tx, who, provider);
      const by = await verifierFor(tx, who.accountId);
      await compliance.submitVerification(tx, who.accountId, params.id, by);
      return shown(tx, who, params.id);
    },
    decideVerification: async ({ tx, who, params, body }) => {
      await refreshProofs(tx, who, provider);
      const decision = { isApproved: body.is_approved, reason: body.reason };
      await compliance.decideVerification(tx, who.accountId, params.id, decision);
      return shown(tx, who, params.id);
    },
  } satisfies Partial<OwnHandlers>;
}

const smsReportHandlers = {
  textReport: ({ tx, who, params }) => readSmsReport(tx, who.accountId, params.id),
  textReportClicks: ({ tx, who, params }) => readSmsLinks(tx, who.accountId, params.id),
} satisfies Handlers<typeof smsReportCalls>;

function reportHandlers() {
  return {
    smsEarned: ({ tx, who, params }) => report.readEarned(tx, who.accountId, params.id),
    smsShares: ({ tx, who, params }) => report.readShares(tx, who.accountId, params.id),
    smsLinks: ({ tx, who, params }) => report.readLinks(tx, who.accountId, params.id),
    smsLinkClicks: ({ tx, who, params, query }) =>
      report.listLinkClicks(tx, who.accountId, params.id, params.link, query.list),
    smsUnsubscribes: ({ tx, who, params, query }) =>
      report.listPeople(tx, who.accountId, params.id, 'unsubscribes', query.list),
    smsFailed: ({ tx, who, params, query }) =>
      report.listPeople(tx, who.accountId, params.id, 'failed', query.list),
    smsReplies: ({ tx, who, params, query }) =>
      listSmsReplies(tx, who.accountId, params.id, query.list),
    answerSmsReply: ({ tx, who, params: { id, reply }, body: { text } }) =>
      answerReply(tx, who.accountId, { campaignId: id, replyId: reply, text }),
  } satisfies Partial<OwnHandlers>;
}
