// The page of the user guide that belongs to a screen. main/web-client/guide-pages.test.ts checks
// that every screen has one and that every target exists.

/** The beginning of a screen's path, and its page with the section; the longest match counts. */
export const GUIDE_PAGES: readonly (readonly [path: string, page: string])[] = [
  ['/', ''],
  ['/complete-registration', 'getting-started'],
  ['/test-tools', 'getting-started#try-everything-without-sending-anything'],
  ['/confirm-domain', 'getting-started#verify-your-sending-domain'],
  ['/settings/domains', 'getting-started#verify-your-sending-domain'],
  ['/subscribers', 'subscribers'],
  ['/subscribers/tags', 'subscribers#groups'],
  ['/subscribers/fields', 'subscribers#custom-fields'],
  ['/subscribers/suppressions', 'subscribers#suppressed-addresses'],
  ['/subscribers/exports', 'subscribers#export'],
  ['/download', 'subscribers#export'],
  ['/subscribers/events', 'api#custom-events'],
  ['/subscribers/segments', 'segments'],
  ['/subscribers/import', 'import'],
  ['/subscribers/import/switch', 'import#switch-from-another-service'],
  ['/subscribers/import/mailchimp', 'import#switch-from-another-service'],
  ['/subscribers/import/getresponse', 'import#switch-from-another-service'],
  ['/subscribers/imported_subscribers', 'import#after-the-import'],
  ['/campaigns', 'campaigns'],
  ['/html', 'campaigns#design-the-email'],
  ['/campaigns/*/editor', 'campaigns#design-the-email'],
  ['/campaigns/*/subscribers', 'campaigns#choose-the-recipients'],
  ['/campaigns/*/confirm', 'campaigns#review-and-send'],
  ['/campaigns/*/experiment', 'experiments'],
  ['/campaigns/*/variants', 'experiments'],
  ['/campaigns/*/report', 'reports'],
  ['/campaigns/*/report/experiment', 'experiments#how-the-winner-is-decided'],
  ['/calendar', 'campaigns#plan-in-the-calendar'],
  ['/settings/utm', 'campaigns#utm-parameters'],
  ['/settings/coupons', 'campaigns#coupons'],
  ['/forms', 'forms'],
  ['/forms/builder', 'forms#design-the-form'],
  ['/automation', 'workflows'],
  ['/automation/builder', 'workflows#build-the-steps'],
  ['/automation/*/report', 'workflows#read-the-report'],
  ['/settings/contact-guard', 'workflows#limit-messages-per-person'],
  ['/sms', 'sms'],
  ['/sms/create-sender', 'sms#set-up-a-sender'],
  ['/sms/phone', 'sms#set-up-a-sender'],
  ['/users/sms_onboard', 'sms#set-up-a-sender'],
  ['/settings/phone', 'sms#set-up-a-sender'],
  ['/settings/sms-providers', 'sms#set-up-a-sender'],
  ['/sms/*/report', 'sms#read-the-report'],
  ['/sms/*/experiment', 'experiments'],
  ['/settings/connected-stores', 'stores'],
  ['/settings/connected-stores/orders', 'stores#orders-and-products'],
  ['/settings/connected-stores/products', 'stores#orders-and-products'],
  ['/settings/sales-attribution', 'figures#attributed-revenue'],
  ['/settings/tracking', 'figures#opens-and-clicks'],
  ['/settings/deliverability', 'deliverability'],
  ['/settings/deliverability/signals', 'why-spam#connect-google-postmaster-tools'],
  ['/settings/relays', 'operations/relay'],
  ['/transactional', 'transactional'],
  ['/transactional/suppression_list', 'subscribers#suppressed-addresses'],
  ['/transactional/suppression-list', 'subscribers#suppressed-addresses'],
  ['/settings', 'team'],
  ['/settings/tokens', 'api#create-an-api-token'],
  ['/settings/webhooks', 'api#webhooks'],
  ['/settings/audit', 'team#audit-log'],
  ['/settings/assistants', 'assistants'],
  ['/connect', 'assistants'],
  ['/settings/assistance', 'assistants#suggestions-from-your-own-model'],
  ['/approvals', 'team#approvals'],
  ['/settings/billing', 'team#plan-and-payments'],
  ['/checkout', 'team#plan-and-payments'],
  ['/sms-credits-purchase', 'team#plan-and-payments'],
  ['/thank-you', 'team#plan-and-payments'],
  ['/payment-failed', 'team#plan-and-payments'],
];

/** Returns the address of the guide page for a product path. */
export function findGuidePage(path: string): string {
  const segments = path.split('/').filter(Boolean);
  const [page] = GUIDE_PAGES.map(([begin, target]) => ({
    parts: begin.split('/').filter(Boolean),
    target,
  }))
    .filter(({ parts }) => parts.every((part, at) => part === '*' || part === segments[at]))
    .sort((a, b) => rank(b.parts) - rank(a.parts));
  return `/guide/${page?.target ?? ''}`;
}

/**
 * Ranks longer prefixes higher and, among prefixes of the same length, prefers one without a
 * placeholder.
 */
function rank(parts: readonly string[]): number {
  return parts.length - (parts.includes('*') ? 0.5 : 0);
}

/** Opens the guide in another window, at the page of the current screen. */
export function openGuide(): void {
  window.open(findGuidePage(location.pathname), '_blank', 'noopener');
}
