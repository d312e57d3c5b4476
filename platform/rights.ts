// Rights: what a user or an API token may do in an account. Contracts name the right of each call;
// the server checks it once, before the body of a request is read.
import type { Call } from './contract.ts';

export const RIGHTS = [
  // Figures, content and settings.
  'read',
  // Subscribers as persons: lists, profiles, recipients in reports.
  'people',
  'people.change',
  'people.delete',
  // Files: exports, reports, rejected rows.
  'export',
  // Everything that is not sent yet, and what belongs to it: images, segments, groups.
  'drafts',
  // Campaigns, SMS and workflows to subscribers, and published forms.
  'send',
  // Transactional messages and their templates, which are used as soon as they are saved.
  'transactional',
  'settings',
  'billing',
  // Users, API tokens, SMTP users and the audit log.
  'admin',
] as const;
export type Right = (typeof RIGHTS)[number];

/** Rights that a user can lack. A user without `read` could open no screen. */
export const DENIABLE_RIGHTS = RIGHTS.filter((right) => right !== 'read');

/** Named sets of denied rights. */
export const RIGHT_PRESETS = {
  full: [],
  no_sending: ['send', 'transactional'],
  no_export: ['export'],
  read_only: DENIABLE_RIGHTS.filter((right) => right !== 'people'),
} as const satisfies Record<string, readonly Right[]>;
export type RightPreset = keyof typeof RIGHT_PRESETS;

export const isRight = (name: string): name is Right =>
  (RIGHTS as readonly string[]).includes(name);

/** The preset that denies exactly these rights. */
export function presetOf(denied: readonly string[]): RightPreset | undefined {
  const names = Object.keys(RIGHT_PRESETS) as RightPreset[];
  return names.find((name) => {
    const preset: readonly string[] = RIGHT_PRESETS[name];
    return preset.length === denied.length && preset.every((right) => denied.includes(right));
  });
}

/**
 * Rights of a caller: all except those denied to the user, limited to the token's scopes. Scopes of
 * `null` mean a token without limits.
 */
export function effectiveRights(
  denied: readonly string[],
  scopes: readonly string[] | null = null,
): ReadonlySet<Right> {
  return new Set(
    RIGHTS.filter(
      (right) => !denied.includes(right) && (scopes === null || scopes.includes(right)),
    ),
  );
}

/**
 * The right that a call needs; undefined for calls that need none: those without an account, and
 * those about the caller alone.
 */
export function rightOf(call: Pick<Call, 'caller' | 'method' | 'needs'>): Right | undefined {
  if (call.caller !== 'account' || call.needs === 'none') return undefined;
  return call.needs ?? (call.method === 'GET' ? 'read' : 'drafts');
}
