// The six steps of the checklist: order, flags, and links of the campaign steps.
import type { OnboardingFlags } from '#areas/accounts/contract.ts';

export const STEPS = ['register', 'verify', 'domain', 'contacts', 'send', 'report'] as const;
export type Step = (typeof STEPS)[number];

const FLAG_OF: Record<Step, keyof OnboardingFlags> = {
  register: 'registration_completed',
  verify: 'email_verified',
  domain: 'domain_verified',
  contacts: 'subscriber_added',
  send: 'email_sent',
  report: 'report_viewed',
};

export const CHECKLIST = '/complete-registration';
export const INTRODUCE = '/complete-registration/introduce';
export const ADDRESS = '/complete-registration/address';

export function isDone(step: Step, flags: OnboardingFlags): boolean {
  return flags[FLAG_OF[step]];
}

/**
 * Returns the first incomplete step, or undefined once all are done. While a domain waits for DNS,
 * the domain step is passed over if the user can do another one.
 */
export function findCurrentStep(flags: OnboardingFlags, isDomainWaiting = false): Step | undefined {
  const openSteps = STEPS.filter((step) => !isDone(step, flags));
  const otherSteps = openSteps.filter((step) => step !== 'domain' && !isDisabled(step, flags));
  return isDomainWaiting && openSteps[0] === 'domain' && otherSteps[0]
    ? otherSteps[0]
    : openSteps[0];
}

/** Returns whether the step is disabled: there is no report before an email was sent. */
export function isDisabled(step: Step, flags: OnboardingFlags): boolean {
  return step === 'report' && !flags.email_sent;
}

export interface CampaignDraft {
  id: string;
  last_action: string;
}

/**
 * Returns the screen where the draft continues or, without a draft, the one that creates a
 * campaign.
 */
export function toCampaignPath(draft: CampaignDraft | undefined): string {
  if (!draft) return '/campaigns/create';
  const editorPages: Record<string, string> = {
    step1: 'edit',
    editor: 'editor',
    step3: 'subscribers',
  };
  const page = Object.hasOwn(editorPages, draft.last_action)
    ? editorPages[draft.last_action]
    : undefined;
  return `/campaigns/${draft.id}/${page ?? 'confirm'}`;
}

/**
 * Returns the path of the latest sent campaign's report or, without a campaign, of the list of sent
 * campaigns.
 */
export function toReportPath(latest: { id: string } | undefined): string {
  return latest ? `/campaigns/${latest.id}/report/overview` : '/campaigns?status=SENT';
}

export type HeaderStep = 'signUp' | 'introduce' | 'profile';
export const HEADER_STEPS: readonly HeaderStep[] = ['signUp', 'introduce', 'profile'];

export interface AccountProfile {
  website: string | null;
  name: string | null;
  surname: string | null;
}

/**
 * Returns whether a step of the header is done. Signing up is always done. The introduction is done
 * once website, first name and last name are known, or once the server reports it as done. The
 * profile is done once the registration is complete.
 */
export function isHeaderStepDone(
  step: HeaderStep,
  flags: OnboardingFlags | undefined,
  profile: AccountProfile | undefined,
): boolean {
  if (step === 'signUp') return true;
  if (step === 'profile') return flags?.registration_completed ?? false;
  const isKnown = Boolean(profile?.website && profile.name && profile.surname);
  return isKnown || (flags?.introduce_completed ?? false);
}
