// Tests of the advised next step for a domain, its checklist for bulk senders, and the source that
// each row of a report is assigned to.
import { describe, expect, test } from 'vitest';
import { getAdvice, type AdviceEvidence, type SourceCounts } from './advice.ts';
import { createChecklist } from './checklist.ts';
import type { Requirement } from '../signals-shared.ts';
import type { DmarcRow } from './reading/dmarc.ts';
import { identifySource, suggestTitle } from './sources.ts';

const ourFigures: SourceCounts = {
  source: 'ours',
  verdict: 'ours',
  title: '',
  messages: 2000,
  aligned: 2000,
  passed: 2000,
};
const tool = (changes: Partial<SourceCounts>): SourceCounts => ({
  ...ourFigures,
  source: 'selector:tea.example/google',
  verdict: 'unknown',
  messages: 200,
  aligned: 0,
  passed: 0,
  ...changes,
});

const SUFFICIENT_EVIDENCE: AdviceEvidence = {
  policy: 'none',
  address: 'r+1@bounce.tea.example',
  isRequested: true,
  reports: 40,
  coveredDays: 20,
  reporters: 3,
  sources: [ourFigures],
  mailingLists: 0,
  quarantineSince: undefined,
  today: '2026-11-29',
};
const adviseWith = (changes: Partial<AdviceEvidence>) =>
  getAdvice({ ...SUFFICIENT_EVIDENCE, ...changes });
const createFailing = (share: number): SourceCounts => ({
  ...ourFigures,
  aligned: 2000 * (1 - share),
});

describe('the advised next step', () => {
  test.each<[Partial<AdviceEvidence>, string]>([
    [{ policy: null, reports: 0 }, 'publish'],
    [{ reports: 0, address: null }, 'upload'],
    [{ reports: 0, isRequested: false }, 'request'],
    [{ reports: 0 }, 'wait'],
    [{ coveredDays: 0 }, 'unsigned'],
    [{ sources: [createFailing(0.03)] }, 'fix_ours'],
    [{ coveredDays: 13 }, 'more_evidence'],
    [{ reporters: 1 }, 'more_evidence'],
    [{ sources: [{ ...ourFigures, messages: 999, aligned: 999 }] }, 'more_evidence'],
    [{}, 'to_quarantine'],
    [{ sources: [createFailing(0.02)] }, 'to_quarantine'],
    [{ policy: undefined }, 'to_quarantine'],
    [{ policy: 'reject' }, 'protected'],
    [{ policy: 'reject', sources: [createFailing(0.5)] }, 'fix_ours'],
    [{ policy: 'quarantine', quarantineSince: '2026-11-01' }, 'later_reject'],
    [{ policy: 'quarantine', quarantineSince: undefined }, 'later_reject'],
    [{ policy: 'quarantine', quarantineSince: '2026-10-30' }, 'to_reject'],
    [
      { policy: 'quarantine', quarantineSince: '2026-10-30', sources: [createFailing(0.006)] },
      'below_reject',
    ],
    [{ policy: 'quarantine', quarantineSince: '2026-10-30', mailingLists: 10 }, 'stay_quarantine'],
  ])('the advised next step for %j is %s', (changes, code) => {
    expect(adviseWith(changes).code).toBe(code);
  });

  test('lists the missing evidence', () => {
    const littleEvidence = {
      coveredDays: 3,
      reporters: 1,
      sources: [{ ...ourFigures, messages: 400, aligned: 400 }],
    };
    expect(adviseWith(littleEvidence)).toEqual({
      code: 'more_evidence',
      days: 11,
      reporters: 1,
      messages: 600,
    });
  });

  test('the advice is to name the unknown source that has the most aligned messages', () => {
    const smallTool = tool({ source: 'selector:tea.example/a', aligned: 20 });
    const largeTool = tool({ source: 'selector:tea.example/b', aligned: 30 });
    expect(adviseWith({ sources: [ourFigures, smallTool, largeTool] })).toEqual({
      code: 'name_source',
      source: largeTool.source,
      messages: 30,
    });
    const namedTool = { ...largeTool, verdict: 'known' as const, messages: 30 };
    expect(adviseWith({ sources: [ourFigures, namedTool] }).code).toBe('to_quarantine');
  });

  test('the advice is to fix a known tool if its emails fail', () => {
    const shop = tool({ verdict: 'known', title: 'Shop', aligned: 100 });
    expect(adviseWith({ sources: [ourFigures, shop] })).toEqual({
      code: 'fix_known',
      source: shop.source,
      title: 'Shop',
      share: 0.5,
    });
  });

  test('the advice is to check unknown authenticated sources, but not abuse or forwarders', () => {
    const unknown = tool({ source: 'domain:esp.example', messages: 200, passed: 12 });
    expect(adviseWith({ sources: [ourFigures, unknown] })).toEqual({
      code: 'check_unknown',
      source: 'domain:esp.example',
      messages: 12,
    });
    expect(adviseWith({ sources: [ourFigures, { ...unknown, verdict: 'abuse' }] }).code).toBe(
      'to_quarantine',
    );
    expect(adviseWith({ sources: [ourFigures, { ...unknown, passed: 0 }] }).code).toBe(
      'to_quarantine',
    );
    const forwarder = tool({ source: 'forwarded', verdict: 'forwarded', passed: 200 });
    expect(adviseWith({ sources: [ourFigures, forwarder] }).code).toBe('to_quarantine');
  });
});

const ROW: DmarcRow = {
  address: '192.0.2.7',
  headerFrom: 'tea.example',
  dkimDomain: '',
  selector: '',
  spfDomain: '',
  dkimPassed: false,
  spfPassed: false,
  dkimAligned: false,
  spfAligned: false,
  disposition: 'none',
  override: 'none',
  isRest: false,
  messages: 1,
};
const OWNED = { domain: 'tea.example', selectors: ['sl1'], returnPath: 'bounce.tea.example' };
const createSignature = (dkimDomain: string, selector: string, dkimAligned = false) => ({
  ...{ dkimDomain, selector, dkimAligned, dkimPassed: true },
});

test.each<[Partial<DmarcRow>, string]>([
  [createSignature('tea.example', 'sl1', true), 'ours'],
  [{ spfDomain: 'bounce.tea.example', spfPassed: true, spfAligned: true }, 'ours'],
  // Only a signature that passed proves who signed.
  [{ dkimDomain: 'tea.example', selector: 'sl1' }, 'network:192.0.2.0/24'],
  [createSignature('tea.example', 'google', true), 'selector:tea.example/google'],
  [createSignature('mail.tea.example', 's1', true), 'selector:mail.tea.example/s1'],
  [createSignature('eu.esp.example', 'x'), 'domain:esp.example'],
  [{ spfDomain: 'bounces.esp.example', spfPassed: true }, 'domain:esp.example'],
  [{ spfDomain: 'evil-tea.example', spfPassed: true }, 'domain:evil-tea.example'],
  [{ override: 'forwarded' }, 'forwarded'],
  [{ override: 'mailing_list', ...createSignature('tea.example', 'sl1', true) }, 'ours'],
  [{ override: 'other' }, 'network:192.0.2.0/24'],
  [{ address: '2001:db8:1:2::3' }, 'network:2001:db8:1::/48'],
  [{ address: '' }, 'rest'],
  [{ isRest: true }, 'rest'],
])('the source of %j is %s', (row, source) => {
  expect(identifySource({ ...ROW, ...row }, OWNED)).toBe(source);
});

test.each([
  ['selector:tea.example/google', 'Google Workspace'],
  ['selector:tea.example/k2', 'Mailchimp'],
  ['domain:sendgrid.net', 'SendGrid'],
  ['domain:tea.onmicrosoft.com', 'Microsoft 365'],
  ['domain:notsendgrid.net', ''],
  ['network:192.0.2.0/24', ''],
])('the suggested name of %s is "%s"', (source, title) => {
  expect(suggestTitle(source)).toBe(title);
});

describe('the checklist of bulk senders', () => {
  const checklistInputs = {
    domain: { proofs: { dkim: true, spf: true }, policy: 'none' },
    ownEmails: { messages: 0, aligned: 0 },
    sentCount: 10_000,
    complaints: 0,
    signals: {},
    seeds: { encrypted: 0, known: 0 },
    isReverseConfirmed: undefined as boolean | undefined,
    compliance: [] as Parameters<typeof createChecklist>[0]['compliance'],
  };
  const readState = (changes: Partial<typeof checklistInputs>, item: string) =>
    createChecklist({ ...checklistInputs, ...changes }).find((check) => check.item === item);

  test('the checklist is unknown before the first DNS check, except for requirements met by every email', () => {
    const domain = { proofs: undefined, policy: undefined };
    const states = createChecklist({ ...checklistInputs, domain }).map(
      ({ item, state }) => `${item} ${state}`,
    );
    expect(states).toEqual([
      'dkim unknown',
      'spf unknown',
      'dmarc unknown',
      'alignment unknown',
      'unsubscribe met',
      'complaints unknown',
      'reverse_dns unknown',
      'tls unknown',
    ]);
  });

  test.each([
    [{ isReverseConfirmed: true }, 'reverse_dns', 'met', null],
    [{ isReverseConfirmed: false }, 'reverse_dns', 'failed', null],
    [{ domain: { proofs: { dkim: false, spf: true }, policy: null } }, 'dkim', 'failed', null],
    [{ domain: { proofs: { dkim: false, spf: true }, policy: null } }, 'alignment', 'met', null],
    [
      { domain: { proofs: { dkim: false, spf: false }, policy: null } },
      'alignment',
      'failed',
      null,
    ],
    [{ domain: { proofs: { dkim: true, spf: true }, policy: null } }, 'dmarc', 'failed', null],
    [{ ownEmails: { messages: 99, aligned: 0 } }, 'alignment', 'met', null],
    [{ ownEmails: { messages: 100, aligned: 97 } }, 'alignment', 'failed', 0.97],
    [{ ownEmails: { messages: 100, aligned: 98 } }, 'alignment', 'met', 0.98],
    [{ complaints: 30 }, 'complaints', 'failed', 0.003],
    // Providers without reports lower the rate, so a low rate is not evidence.
    [{ complaints: 1 }, 'complaints', 'unknown', 0.0001],
    [{ sentCount: 999, complaints: 900 }, 'complaints', 'unknown', null],
  ])('with %j, %s is %s', (changes, item, state, share) => {
    const reportedBy = share === null ? null : 'reports';
    expect(readState(changes as Partial<typeof checklistInputs>, item)).toEqual({
      item,
      state,
      share,
      by: reportedBy,
    });
  });

  test.each([
    ['tls', { signals: { tls: 0.995 } }, 'met', 'postmaster'],
    ['tls', { signals: { tls: 0.9 } }, 'failed', 'postmaster'],
    ['tls', { seeds: { encrypted: 3, known: 3 } }, 'met', 'seeds'],
    ['tls', { seeds: { encrypted: 2, known: 3 } }, 'failed', 'seeds'],
    ['complaints', { signals: { spam_rate: 0.001 } }, 'met', 'postmaster'],
    ['complaints', { signals: { spam_rate: 0.003 } }, 'failed', 'postmaster'],
    ['complaints', { signals: { spam_rate: 0 }, complaints: 50 }, 'failed', 'reports'],
    ['alignment', { signals: { dmarc: 0.5 } }, 'failed', 'postmaster'],
  ])('%s with %j is %s', (item, changes, state, reportedBy) => {
    expect(readState(changes as Partial<typeof checklistInputs>, item)).toMatchObject({
      state,
      by: reportedBy,
    });
  });

  test("Gmail's verdict is used only if the account has no data", () => {
    const at = '2026-06-01T00:00:00.000Z';
    const createVerdict = (requirement: Requirement, isMet: boolean | null) => ({
      ...{ requirement, is_met: isMet, reason: null, since: at, as_of: at },
    });
    const compliance = [
      createVerdict('encryption', true),
      createVerdict('dns_records', false),
      createVerdict('dkim', false),
      createVerdict('one_click_unsubscribe', false),
    ];
    const withCompliance = { ...checklistInputs, compliance };
    expect(
      createChecklist(withCompliance).filter(({ by: reportedBy }) => reportedBy === 'gmail'),
    ).toEqual([
      { item: 'reverse_dns', state: 'failed', share: null, by: 'gmail' },
      { item: 'tls', state: 'met', share: null, by: 'gmail' },
    ]);
    const stale = [createVerdict('encryption', null)];
    expect(readState({ compliance: stale }, 'tls')).toMatchObject({ state: 'unknown', by: null });
    expect(readState({ compliance }, 'dkim')).toMatchObject({ state: 'met', by: null });
    expect(readState({ compliance, signals: { tls: 0.5 } }, 'tls')).toMatchObject({
      ...{ state: 'failed', by: 'postmaster' },
    });
  });
});
