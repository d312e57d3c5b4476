// Events of broadcasts for higher areas, each published in the transaction of its change.
import type { MessageKind } from '#areas/delivery/message-kinds.ts';
import { defineEvent } from '#platform/server/events.ts';

/**
 * All recipients of a broadcast have a final state, and no recipients wait for the decision of an
 * experiment. Published again after a retry of some recipients.
 */
export const broadcastFinished = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  /** The lead first. */
  messageIds: number[];
  at: Date;
}>('broadcast.finished');

/**
 * A due broadcast could not be sent and is a draft again. Its checks show the reason. The handler
 * notifies users of the account.
 */
export const broadcastNotStarted = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  /** The name in notices: the subject, or the title of an SMS campaign. */
  name: string;
  at: Date;
}>('broadcast.not_started');

/** An experiment was decided; the message to the remaining recipients starts, if there are any. */
export const experimentDecided = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  at: Date;
}>('experiment.decided');

/**
 * The remaining recipients of an experiment wait for a user's choice, because the test is decided
 * manually, its end was missed, or the message to them could not start.
 */
export const experimentWaits = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  /** The name in notices: the subject, or the title of an SMS campaign. */
  name: string;
  at: Date;
}>('experiment.waits');
