// Lanes: recipients of a message behind one mailbox provider. On a domain that is warming up,
// subscribers without recent engagement have separate lanes, which are sent after the others. Each
// wave of a message has separate lanes.
import { MAILBOXES } from '#areas/subscribers/shared.ts';

export const TIER = 100;
export const WAVE = 2 * TIER;
/** The lane is a smallint. */
export const MAX_WAVES = 163;

/** The first lane of each mailbox provider; the others differ in tier and wave. */
export const MAILBOX_LANES: readonly number[] = Object.values(MAILBOXES);

export const mailboxOfLane = (lane: number) => lane % TIER;
export const waveOfLane = (lane: number) => Math.floor(lane / WAVE);
