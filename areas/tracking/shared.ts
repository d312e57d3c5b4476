// Terms of tracking that the server and the screens share.

/**
 * Reasons why a link host does not point here: its name does not resolve, it has no valid
 * certificate, it does not answer, another server answers.
 */
export const HOST_FAULTS = ['unresolved', 'certificate', 'unreachable', 'elsewhere'] as const;
export type HostFault = (typeof HOST_FAULTS)[number];

/**
 * Characters of a short link's code (`/s/…`): a fixed width, so that the length of an SMS is known
 * in advance.
 */
export const SHORT_CODE_LENGTH = 20;
