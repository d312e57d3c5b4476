// Derives the kind of an action from the verb in the name of its call: `campaigns.schedule` is of
// the kind `scheduled`.

const KINDS = {
  created: [
    'create',
    'add',
    'duplicate',
    'copy',
    'generate',
    'upload',
    'crop',
    'import',
    'connect',
    'register',
    'join',
    'accept',
  ],
  deleted: [
    'delete',
    'remove',
    'clear',
    'erase',
    'lift',
    'release',
    'disconnect',
    'revoke',
    'withdraw',
  ],
  sent: ['send', 'resend', 'retry', 'answer'],
  scheduled: ['schedule', 'reschedule'],
  stopped: ['cancel', 'pause', 'stop', 'unschedule', 'deactivate', 'unsubscribe', 'end'],
  started: ['start', 'activate', 'resume', 'publish', 'apply', 'decide', 'sync'],
  restored: ['restore', 'undo', 'reactivate'],
  invited: ['invite'],
  signedIn: ['open'],
  requested: ['request'],
  approved: ['approve'],
  declined: ['decline'],
  exported: ['export', 'download', 'share', 'make'],
  paid: ['pay', 'finish', 'refund'],
  tested: ['test', 'try', 'check', 'recheck', 'verify', 'forecast'],
} as const;

export type ActKind = keyof typeof KINDS | 'changed';

const KIND_OF = new Map<string, ActKind>(
  Object.entries(KINDS).flatMap(([kind, words]) => words.map((verb) => [verb, kind as ActKind])),
);

/** Returns the kind of an action. All other verbs mean `changed`: update, set, rename, move … */
export function getActionKind(action: string): ActKind {
  const call = action.split('.')[1] ?? '';
  return KIND_OF.get(/^[a-z]+/.exec(call)?.[0] ?? '') ?? 'changed';
}

/** Areas with recorded actions, in the order in which the filter lists them. */
export const AREAS = [
  'accounts',
  'agents',
  'approvals',
  'audience',
  'audit',
  'billing',
  'broadcasts',
  'campaigns',
  'content',
  'dashboard',
  'deliverability',
  'delivery',
  'domains',
  'events',
  'exports',
  'feedback',
  'fields',
  'folders',
  'forms',
  'groups',
  'imports',
  'models',
  'operator',
  'reports',
  'segments',
  'sms',
  'stores',
  'tracking',
  'transactional',
  'webhooks',
  'workflows',
] as const;
type ActArea = (typeof AREAS)[number];

export function getActionArea(action: string): ActArea | undefined {
  const name = action.split('.')[0];
  return AREAS.find((area) => area === name);
}
