// Words of tracking that server and screens share.

/**
 * Why a host of links does not lead here: its name resolves to nothing, no certificate that holds for it,
 * nothing answers, another server does.
 */
export const HOST_FAULTS = ['unresolved', 'certificate', 'unreachable', 'elsewhere'] as const;
export type HostFault = (typeof HOST_FAULTS)[number];

/** Characters of a short link's code (`/s/…`): of one width, so that a text can be measured before. */
export const SHORT_CODE_LENGTH = 20;
