// Rights of a user or an API token within an account. Contracts name the right of each call. The
// server checks it before the body of a request is read, and again if the body arrives slowly.
import type { Call } from './contract.ts';

export const RIGHTS = [
  // View statistics, content and settings.
  'read',
  // View individual subscribers: lists, profiles, recipients in reports.
  'people',
  'people.change',
  'people.delete',
  // Download files: exports, reports, rejected rows.
  'export',
  // Edit everything that is not sent yet, and related images, segments and groups.
  'drafts',
  // Send campaigns, SMS and workflows to subscribers, and publish forms.
  'send',
  // Send transactional messages, and edit their templates, which are used as soon as they are
  // saved.
  'transactional',
  'settings',
  'billing',
  // Manage users, API tokens and SMTP users, and view the audit log.
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

/** Returns the preset that denies exactly these rights. */
export function findPreset(deniedRights: readonly string[]): RightPreset | undefined {
  const names = Object.keys(RIGHT_PRESETS) as RightPreset[];
  return names.find((name) => {
    const preset: readonly string[] = RIGHT_PRESETS[name];
    return (
      preset.length === deniedRights.length && preset.every((right) => deniedRights.includes(right))
    );
  });
}

/**
 * Rights of a caller: all except those denied to the user, limited to the token's scopes. Scopes of
 * `null` mean a token without limits.
 */
export function computeEffectiveRights(
  deniedRights: readonly string[],
  scopes: readonly string[] | null = null,
): ReadonlySet<Right> {
  return new Set(
    RIGHTS.filter(
      (right) => !deniedRights.includes(right) && (scopes === null || scopes.includes(right)),
    ),
  );
}

/**
 * Returns the right that a call needs; undefined for calls without an account, calls about the
 * caller alone, and calls that check rights in their handlers.
 */
export function getRight(
  call: Pick<Call, 'caller' | 'method' | 'requiredRight'>,
): Right | undefined {
  if (call.caller !== 'account' || call.requiredRight === 'none') return undefined;
  return call.requiredRight ?? (call.method === 'GET' ? 'read' : 'drafts');
}
