// 9: concurrent senders with clocks that are wrong by an hour or a day, in both directions: nothing
// is sent early or twice.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { listRecipients } from '#testing/oracles/invariants.ts';
import {
  readDeliveryOf,
  type FaultTest,
  findDeliveryProblems,
  withScene,
  stop,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';

const HOUR_MS = 3_600_000;
const SHIFTS = [-24 * HOUR_MS, -HOUR_MS, HOUR_MS, 24 * HOUR_MS];
const SUBSCRIBERS = 600;
const DEFERRALS = 5;

export const fault: FaultTest = {
  number: 9,
  title: 'clocks an hour and a day wrong, both ways',
  run: () =>
    withScene(async (scene) => {
      const { db, relay } = scene;
      const campaign = await scene.campaign(SUBSCRIBERS);
      relay.script.rcpt = ({ previousCount }) =>
        previousCount < DEFERRALS ? '450 4.2.1 Try later' : undefined;
      const imports = [join(import.meta.dirname, 'kit/shifted-clock.ts')];
      const senders = await Promise.all(
        SHIFTS.map((shift) =>
          scene.startSender({
            // Emails per second of all senders together.
            relay: 'connections=4&rate=80',
            imports,
            env: { SHIFT_MS: String(shift) },
          }),
        ),
      );
      const problems: string[] = [];
      const areAllAttempted = async () => {
        const { counts } = await readDeliveryOf(db, campaign);
        return counts.accepted + counts.deferred === SUBSCRIBERS;
      };
      if (!(await waitUntil(areAllAttempted, 60)))
        problems.push('Not every email was accepted or deferred within 60 s');
      // The second attempts are due in more than a minute, so none may have been made.
      await sleep(5_000);
      const { counts } = await readDeliveryOf(db, campaign);
      if (counts.deferred !== DEFERRALS) problems.push(`${counts.deferred} wait, not ${DEFERRALS}`);
      await sql`update deferrals set next_attempt_at = ${new Date()}`.execute(db);
      if (!(await waitUntilFinished(db, campaign, 30)))
        problems.push('The campaign did not finish');
      await Promise.all(senders.map(stop));
      problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
      const recipients = await listRecipients(db, campaign.accountId, campaign.messageId);
      const unknown = recipients.filter(
        (recipientFact) => recipientFact.state === 'unknown',
      ).length;
      if (unknown > 0) problems.push(`${unknown} are unknown although no connection was lost`);
      const duplicateCount = scene.log().length - new Set(scene.log()).size;
      if (duplicateCount > 0) problems.push(`${duplicateCount} were sent twice`);
      return {
        problems,
        facts: `${SHIFTS.length} senders, ${SUBSCRIBERS} accepted, none early, ${duplicateCount} twice`,
      };
    }),
};
