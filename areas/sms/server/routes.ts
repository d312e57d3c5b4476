// Routes for SMS.
import {
  resolveAudience,
  broadcastRoutes,
  experimentRoutes,
} from '#areas/broadcasts/server/index.ts';
import { toPreviewedSubscriber } from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import {
  type Caller,
  type Handlers,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { SmsCampaign } from '../campaign-contract.ts';
import { ownCalls } from '../contract.ts';
import { SmsExperiment, SmsExperimentInput } from '../experiment-contract.ts';
import { providerCalls } from '../providers-contract.ts';
import { smsReportCalls } from '../message-report-contract.ts';
import type { SmsFlag } from '../shared.ts';
import { answerReply, listSmsReplies } from './replies.ts';
import * as campaigns from './campaigns.ts';
import { checkSms } from './checks.ts';
import { listWithPlaces, smsItems } from './list.ts';
import * as compliance from './compliance.ts';
import { readPartCost } from './cost.ts';
import * as own from './own-providers.ts';
import { smsExperiments } from './experiments.ts';
import { smsAdapter } from './adapter.ts';
import { findSubscribers } from './subscribers.sql.ts';
import { refreshProofs } from './phone-decisions.ts';
import { readOwnership, sendCode, verifyCode } from './phone-codes.ts';
import { findProof } from './phone-owners.ts';
import * as phones from './phones.ts';
import type { ProviderKinds } from './provider-kinds.ts';
import { testOwnProvider } from './provider-trial.ts';
import * as report from './report.ts';
import { readSettings, saveSettings, readSmsTexts } from './settings.ts';
import { TABLES } from './sms.sql.ts';
import { sendTest, sendTestSms } from './test-message.ts';
import { previewSms, createSmsSource } from './message-text.ts';
import { readSmsLinks, readSmsReport } from './message-report.ts';

export type SmsOptions = {
  publicUrl: string;
  /** The provider of the installation: 'phone' (the built-in provider), 'provider' or 'none'. */
  provider: string;
  /**
   * Submits toll-free verification forms; undefined if the user has to submit them at the provider.
   */
  verifier: compliance.Verifier | undefined;
  /** Returns numbers that accounts may choose from. */
  listOfferedNumbers: (db: Reader) => Promise<string[]>;
  /** Implementations by provider kind. */
  kinds: ProviderKinds;
};

type OwnHandlers = Handlers<typeof ownCalls>;

const EXPERIMENT = { output: SmsExperiment, input: SmsExperimentInput };

export function smsRoutes(options: SmsOptions): Route[] {
  const handlers = {
    ...draftHandlers(options),
    ...previewHandlers(options),
    ...phoneHandlers(options),
    ...complianceHandlers(options),
    ...reportHandlers(),
  };
  return [
    ...createRoutes('sms', ownCalls, handlers),
    ...createRoutes('sms', providerCalls, providerHandlers(options)),
    ...createRoutes('sms', smsReportCalls, smsReportHandlers),
    ...broadcastRoutes(smsAdapter(toSendingOptions(options)), SmsCampaign, 'sms'),
    ...experimentRoutes(smsExperiments(toSendingOptions(options)), EXPERIMENT, 'sms'),
    ...itemRoutes(smsItems),
  ];
}

const toSendingOptions = ({ publicUrl, provider }: SmsOptions) => ({
  publicUrl,
  hasProvider: provider !== 'none',
});

function draftHandlers(options: SmsOptions) {
  return {
    listSmsCampaigns: ({ tx, caller, query }) => listWithPlaces(tx, caller.accountId, query),
    createSmsCampaign: ({ tx, caller, body }) =>
      campaigns.createSmsCampaign(tx, caller.accountId, body),
    readSmsCampaign: ({ tx, caller, params }) =>
      campaigns.readSmsCampaign(tx, caller.accountId, params.id),
    updateSmsCampaign: ({ tx, caller, params, body: { revision, ...settings } }) =>
      campaigns.updateSmsCampaign(tx, caller.accountId, params.id, revision, settings),
    deleteSmsCampaign: ({ tx, caller, params }) =>
      campaigns.deleteSmsCampaign(tx, caller.accountId, params.id),
    restoreSmsCampaign: ({ tx, caller, params }) =>
      campaigns.restoreSmsCampaign(tx, caller.accountId, params.id),
    duplicateSmsCampaign: ({ tx, caller, params, body }) =>
      campaigns.duplicateSmsCampaign(tx, caller.accountId, params.id, body.title),
    copyToAccount: ({ tx, caller, params, body }) =>
      campaigns.copySmsToAccount(tx, caller, params.id, body.account),
    checkSms: async ({ tx, caller, params }) => {
      const row = await campaigns.getSmsRow(tx, caller.accountId, params.id);
      const { waits, ...checked } = await checkSms(tx, row, toSendingOptions(options));
      const delays = waits.map(({ until, count }) => ({ until: until.toISOString(), count }));
      return { ...checked, waits: delays };
    },
    listSmsPreviewPeople: async ({ tx, caller, query: { search = '' } }) => {
      const subscribers = await findSubscribers(tx, caller.accountId, search.trim());
      return subscribers.map(({ id, firstname, lastname, phone }) => ({
        id: encodeId('subscriber', id),
        name: [firstname, lastname].filter(Boolean).join(' '),
        phone: phone ?? '',
      }));
    },
    textCost: async ({ tx, caller, query: { campaign } }) => {
      const row =
        campaign === undefined
          ? undefined
          : await campaigns.getSmsRow(tx, caller.accountId, campaign);
      const audience = row && (await resolveAudience(tx, { tables: TABLES }, row));
      return readPartCost(tx, caller.accountId, audience);
    },
  } satisfies Partial<OwnHandlers>;
}

function previewHandlers({ publicUrl }: SmsOptions) {
  return {
    sendTestText: async ({ tx, caller, params, body }) => {
      const row = await campaigns.getSmsRow(tx, caller.accountId, params.id);
      const test = { subscriberId: toPreviewedSubscriber(caller, undefined), publicUrl };
      return { sent: await sendTest(tx, row, body.phones, test) };
    },
    sendTestOfText: async ({ tx, caller, body }) => {
      const { phone_id: phoneId, phones: to } = body;
      const subscriberId = toPreviewedSubscriber(caller, body.subscriber);
      const draft = { ...buildUnsavedDraft(body), phoneId };
      const test = { phones: to, subscriberId, publicUrl };
      return { sent: await sendTestSms(tx, caller.accountId, draft, test) };
    },
    previewText: async ({ tx, caller, body }) => {
      const smsTexts = await readSmsTexts(tx, caller.accountId);
      const phoneKind =
        body.phone_id == null
          ? undefined
          : ((await phones.readAnyPhone(tx, caller.accountId, body.phone_id)).kind as 'toll_free');
      const source = createSmsSource(buildUnsavedDraft(body), smsTexts, phoneKind);
      const subscriber = toPreviewedSubscriber(caller, body.subscriber);
      return previewSms(tx, caller.accountId, source, subscriber, publicUrl);
    },
  } satisfies Partial<OwnHandlers>;
}

type UnsavedSms = {
  text: string;
  add_organization_name?: SmsFlag | undefined;
  append_opt_out?: SmsFlag | undefined;
  google_analytics?: SmsFlag | undefined;
};

const buildUnsavedDraft = (body: UnsavedSms) => ({
  title: '',
  text: body.text,
  hasPrefix: body.add_organization_name !== 'FALSE',
  hasOptOut: body.append_opt_out !== 'FALSE',
  hasAnalytics: body.google_analytics === 'TRUE',
});

function phoneHandlers(options: SmsOptions) {
  const { listOfferedNumbers, provider } = options;
  return {
    listPhones: ({ tx, caller, query }) => phones.listPhones(tx, caller.accountId, query.list),
    createPhone: async ({ tx, caller, body: { kind, value, use_case: useCase } }) => {
      const { accountId, userId } = caller;
      const proof = await findProof(tx, accountId, userId, provider);
      return phones.createPhone(tx, accountId, { kind, value, useCase }, proof);
    },
    readPhone: ({ tx, caller, params }) => phones.readPhone(tx, caller.accountId, params.id),
    releasePhone: ({ tx, caller, params }) => phones.releasePhone(tx, caller.accountId, params.id),
    sendPhoneCode: async ({ db, caller, params }) => {
      const expiresAt = await sendCode(db, caller.accountId, params.id, options);
      return { expires_at: expiresAt.toISOString() };
    },
    verifyPhoneCode: ({ db, caller, params, body }) =>
      verifyCode(db, caller.accountId, params.id, body.code),
    offeredNumbers: async ({ tx, caller }) => {
      // SMS from the installation's numbers can only be sent through the installation's providers.
      const isOwn = await accountHasOwnSenders(tx, 'sms', caller.accountId);
      return isOwn ? [] : (await listOfferedNumbers(tx)).map((value) => ({ value }));
    },
    readSmsSettings: async ({ tx, caller }) =>
      await readSettings(
        tx,
        caller.accountId,
        await own.resolveProvider(tx, caller.accountId, provider),
      ),
    saveSmsSettings: async ({ tx, caller, body }) => {
      await saveSettings(tx, caller.accountId, body);
      const currentProvider = await own.resolveProvider(tx, caller.accountId, provider);
      return readSettings(tx, caller.accountId, currentProvider);
    },
  } satisfies Partial<OwnHandlers>;
}

function providerHandlers({ kinds, publicUrl, provider }: SmsOptions) {
  const refresh = (db: Db, caller: Caller) =>
    inTransaction(db, (tx) => refreshProofs(tx, caller, provider));
  return {
    listTextProviders: ({ tx, caller }) => own.listOwnProviders(tx, caller.accountId, publicUrl),
    createTextProvider: async ({ db, caller, body }) => {
      const data = await own.createOwnProvider(db, caller.accountId, body, publicUrl);
      await refresh(db, caller);
      return data;
    },
    readTextProvider: async ({ tx, caller, params }) =>
      own.presentProvider(await own.getProviderRow(tx, caller.accountId, params.id), publicUrl),
    updateTextProvider: async ({ db, caller, params, body }) => {
      const data = await own.updateOwnProvider(db, caller.accountId, params.id, body, publicUrl);
      await refresh(db, caller);
      return data;
    },
    removeTextProvider: async ({ tx, caller, params }) => {
      await own.removeOwnProvider(tx, caller.accountId, params.id);
      await refreshProofs(tx, caller, provider);
    },
    testTextProvider: ({ db, caller, params, body }) =>
      testOwnProvider(db, kinds, caller, { id: params.id, ...body, publicUrl }),
  } satisfies Handlers<typeof providerCalls>;
}

function complianceHandlers(options: SmsOptions) {
  const { verifier, provider } = options;
  type ComplianceTx = Parameters<typeof compliance.readCompliance>[0];
  // Returns the verifier, if any: no forms are submitted to an account's own provider, which
  // reports its decision to the account.
  const verifierFor = async (tx: ComplianceTx, accountId: number) =>
    (await accountHasOwnSenders(tx, 'sms', accountId)) ? undefined : verifier;
  const readComplianceData = async (
    tx: ComplianceTx,
    { accountId }: { accountId: number },
    id: number,
  ) => {
    const isForwarded = (await verifierFor(tx, accountId)) !== undefined;
    const data = await compliance.readCompliance(tx, accountId, id, isForwarded);
    return { ...data, owner: await readOwnership(tx, accountId, id, options) };
  };
  return {
    readCompliance: ({ tx, caller, params }) => readComplianceData(tx, caller, params.id),
    // Refreshes proofs first because senders may have been added before ownership was introduced,
    // and users may have become operators since then.
    acceptTerms: async ({ tx, caller, params, body, request }) => {
      await refreshProofs(tx, caller, provider);
      await compliance.acceptTerms(tx, caller, params.id, { ...body, ip: request.ip });
      return readComplianceData(tx, caller, params.id);
    },
    saveVerification: async ({ tx, caller, params, body }) => {
      await compliance.saveVerification(tx, caller.accountId, params.id, body);
      return readComplianceData(tx, caller, params.id);
    },
    submitVerification: async ({ tx, caller, params }) => {
      await refreshProofs(tx, caller, provider);
      const numberVerifier = await verifierFor(tx, caller.accountId);
      await compliance.submitVerification(tx, caller.accountId, params.id, numberVerifier);
      return readComplianceData(tx, caller, params.id);
    },
    decideVerification: async ({ tx, caller, params, body }) => {
      await refreshProofs(tx, caller, provider);
      const decision = { isApproved: body.is_approved, reason: body.reason };
      await compliance.decideVerification(tx, caller.accountId, params.id, decision);
      return readComplianceData(tx, caller, params.id);
    },
  } satisfies Partial<OwnHandlers>;
}

const smsReportHandlers = {
  textReport: ({ tx, caller, params }) => readSmsReport(tx, caller.accountId, params.id),
  textReportClicks: ({ tx, caller, params }) => readSmsLinks(tx, caller.accountId, params.id),
} satisfies Handlers<typeof smsReportCalls>;

function reportHandlers() {
  return {
    smsEarned: ({ tx, caller, params }) => report.readEarned(tx, caller.accountId, params.id),
    smsShares: ({ tx, caller, params }) => report.readShares(tx, caller.accountId, params.id),
    smsLinks: ({ tx, caller, params }) => report.readLinks(tx, caller.accountId, params.id),
    smsLinkClicks: ({ tx, caller, params, query }) =>
      report.listLinkClicks(tx, caller.accountId, params.id, params.link, query.list),
    smsUnsubscribes: ({ tx, caller, params, query }) =>
      report.listSubscribers(tx, caller.accountId, params.id, 'unsubscribes', query.list),
    smsFailed: ({ tx, caller, params, query }) =>
      report.listSubscribers(tx, caller.accountId, params.id, 'failed', query.list),
    smsReplies: ({ tx, caller, params, query }) =>
      listSmsReplies(tx, caller.accountId, params.id, query.list),
    answerSmsReply: ({ tx, caller, params: { id, reply }, body: { text } }) =>
      answerReply(tx, caller.accountId, { campaignId: id, replyId: reply, text }),
  } satisfies Partial<OwnHandlers>;
}
