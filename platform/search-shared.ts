// Kinds of objects that the search finds, for the server and the palette.

export const FOUND_KINDS = [
  'campaign',
  'sms',
  'workflow',
  'segment',
  'group',
  'field',
  'form',
  'template',
  'transactional_email',
  'transactional_sms',
  'order',
  'subscriber',
] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];
