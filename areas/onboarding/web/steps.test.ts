// The checklist's rules: the order, the current step, and the screen where each draft continues.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OnboardingFlags } from '#areas/accounts/contract.ts';
import {
  toCampaignPath,
  findCurrentStep,
  isDisabled,
  isDone,
  isHeaderStepDone,
  toReportPath,
  STEPS,
} from './steps.ts';

const NAMES = [
  'email_verified',
  'registration_completed',
  'introduce_completed',
  'email_sent',
  'report_viewed',
  'subscriber_added',
  'campaign_created',
  'domain_verified',
] as const;
const flagsOf = (doneSteps: readonly string[]) =>
  Object.fromEntries(NAMES.map((name) => [name, doneSteps.includes(name)])) as OnboardingFlags;
const anyFlags = fc.subarray([...NAMES]).map(flagsOf);

test('the current step is the first incomplete one, and only the report can be disabled', () => {
  fc.assert(
    fc.property(anyFlags, (flags) => {
      const current = findCurrentStep(flags);
      const openSteps = STEPS.filter((step) => !isDone(step, flags));
      expect(current).toBe(openSteps[0]);
      expect(isDisabled('report', flags)).toBe(!flags.email_sent);
      for (const step of STEPS.slice(0, 5)) expect(isDisabled(step, flags)).toBe(false);
      if (current) expect(isDisabled(current, flags)).toBe(false);
    }),
  );
  expect(findCurrentStep(flagsOf(NAMES))).toBeUndefined();
});

test('while a domain waits for DNS, the domain step is current only once no other step can be done', () => {
  const flags = ['registration_completed', 'email_verified'];
  expect(findCurrentStep(flagsOf(flags), false)).toBe('domain');
  expect(findCurrentStep(flagsOf(flags), true)).toBe('contacts');
  expect(findCurrentStep(flagsOf([...flags, 'subscriber_added']), true)).toBe('send');
  const almostAll = [...flags, 'subscriber_added', 'email_sent', 'report_viewed'];
  expect(findCurrentStep(flagsOf(almostAll), true)).toBe('domain');
  expect(findCurrentStep(flagsOf(['email_verified']), true)).toBe('register');
});

test('each step is completed by exactly one flag', () => {
  const flags = [
    'registration_completed',
    'email_verified',
    'domain_verified',
    'subscriber_added',
    'email_sent',
    'report_viewed',
  ];
  for (const [at, step] of STEPS.entries()) {
    expect(STEPS.filter((step) => isDone(step, flagsOf([flags[at] ?? ''])))).toEqual([step]);
  }
});

describe('campaign steps', () => {
  test.each([
    ['step1', '/campaigns/abc/edit'],
    ['editor', '/campaigns/abc/editor'],
    ['step3', '/campaigns/abc/subscribers'],
    ['step4', '/campaigns/abc/confirm'],
    ['toString', '/campaigns/abc/confirm'],
    ['', '/campaigns/abc/confirm'],
  ])('a draft left at %s continues at %s', (last_action, path) => {
    expect(toCampaignPath({ id: 'abc', last_action })).toBe(path);
  });

  test('the campaign link creates a draft if there is none, and the report link opens the sent campaigns if there is no report', () => {
    expect(toCampaignPath(undefined)).toBe('/campaigns/create');
    expect(toReportPath({ id: 'abc' })).toBe('/campaigns/abc/report/overview');
    expect(toReportPath(undefined)).toBe('/campaigns?status=SENT');
  });
});

test('the introduction in the header is complete once the website, name and surname are known', () => {
  const noFlags = flagsOf([]);
  const profile = { website: 'https://a.example', name: 'Ada', surname: 'L' };
  expect(isHeaderStepDone('signUp', undefined, undefined)).toBe(true);
  expect(isHeaderStepDone('introduce', noFlags, profile)).toBe(true);
  for (const key of ['website', 'name', 'surname'] as const) {
    expect(isHeaderStepDone('introduce', noFlags, { ...profile, [key]: null })).toBe(false);
    expect(isHeaderStepDone('introduce', noFlags, { ...profile, [key]: '' })).toBe(false);
  }
  expect(isHeaderStepDone('introduce', flagsOf(['introduce_completed']), undefined)).toBe(true);
  expect(isHeaderStepDone('profile', noFlags, profile)).toBe(false);
  expect(isHeaderStepDone('profile', flagsOf(['registration_completed']), profile)).toBe(true);
});
