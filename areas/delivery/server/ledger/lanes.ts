// How lanes are numbered. A lane contains the recipients of a message at one mailbox provider. Each
// wave of a message has its own lanes. While a domain warms up or is limited, subscribers without
// recent engagement also have their own lanes, which are sent last. A lane's number is the number
// of the mailbox provider, plus `TIER` for subscribers without recent engagement, plus `WAVE` times
// the number of the wave.
import { MAILBOXES } from '#areas/subscribers/shared.ts';

export const TIER = 100;
export const WAVE = 2 * TIER;
/** Limited by the lane's type, smallint. */
export const MAX_WAVES = 163;

/** The lane of each mailbox provider for engaged subscribers in the first wave. */
export const MAILBOX_LANES: readonly number[] = Object.values(MAILBOXES);

export const mailboxOfLane = (lane: number) => lane % TIER;
export const waveOfLane = (lane: number) => Math.floor(lane / WAVE);
