// Checks that every request answered during an upgrade is stored once, that every email accepted by
// the API is sent once, and that each campaign reaches each of its subscribers once.
import { sql } from 'kysely';
import { readDeliveryOf, findDeliveryProblems, type Scene, waitUntil } from '../kit.ts';
import type { VisitKind, Visitors } from './visitors.ts';

const SETTLING_SECONDS = 60;

export async function checkDeliveries(
  scene: Scene,
  { answered }: Visitors,
  campaigns: number,
): Promise<{ problems: string[]; facts: string }> {
  const { db } = scene;
  const problems: string[] = [];
  const buyers = () =>
    scene.relay.accepted.map((receivedMessage) => receivedMessage.to[0] ?? '').filter(isBuyer);
  const asAnswered = async () =>
    (await missing(scene, answered)).length === 0 && buyers().length >= answered.emails;
  await waitUntil(asAnswered, SETTLING_SECONDS);
  problems.push(...(await missing(scene, answered)));
  const different = new Set(buyers()).size;
  if (different !== answered.emails || buyers().length !== different) {
    problems.push(`${answered.emails} emails accepted by the API, ${buyers().length} sent`);
  }
  const { rows } = await sql<{ accountId: number; messageId: number }>`
    select account_id as "accountId", id as "messageId" from messages
    where kind = 'campaign' order by id`.execute(db);
  if (rows.length !== campaigns) problems.push(`${rows.length} messages of ${campaigns} campaigns`);
  let [accepted, unknown] = [0, 0];
  for (const campaign of rows) {
    problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
    const { counts } = await readDeliveryOf(db, campaign);
    accepted += counts.accepted;
    unknown += counts.unknown;
  }
  if (unknown > 0) problems.push(`${unknown} copies are unknown, though no role was killed`);
  const duplicateCount = scene.log().length - new Set(scene.log()).size;
  if (duplicateCount > 0) problems.push(`${duplicateCount} copies sent twice`);
  return {
    problems,
    facts: `${campaigns} campaigns, ${accepted} copies accepted, ${unknown} unknown, ${duplicateCount} twice`,
  };
}

const isBuyer = (address: string) => address.startsWith('buyer');

/** Returns the kinds of requests where the stored count differs from the answered count. */
async function missing(
  { db }: Scene,
  answeredCounts: Record<VisitKind, number>,
): Promise<string[]> {
  const { rows } = await sql<Record<Exclude<VisitKind, 'emails' | 'screens'>, number>>`
    select
      (select count(*) from events where kind = 'open')::int as opens,
      (select count(*) from events where kind = 'click')::int as clicks,
      (select count(*) from form_submissions s join subscribers p
        on p.account_id = s.account_id and p.id = s.subscriber_id
        where p.email like 'visitor%')::int as "formSignUps",
      (select count(*) from users where email like 'owner%@new.example')::int as users,
      (select count(*) from subscribers where email like 'client%')::int as people`.execute(db);
  return Object.entries(rows[0] ?? {}).flatMap(([kind, count]) =>
    count === answeredCounts[kind as VisitKind]
      ? []
      : [`${answeredCounts[kind as VisitKind]} ${kind} acknowledged, ${count} stored`],
  );
}
