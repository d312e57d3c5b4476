// Words of tracking that server and screens share.

/**
 * Why a host of links does not lead here: its name resolves to nothing, no certificate that holds for it,
 * nothing answers, another server does.
 */
export const HOST_FAULTS = ['unresolved', 'certificate', 'unreachable', 'elsewhere'] as const;
export type HostFault = (typeof HOST_FAULTS)[number];
