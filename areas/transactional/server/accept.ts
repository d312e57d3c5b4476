// Where calls at once are taken together: one transaction for all of an account's that came while the one before
// was written, each with its key, its email and its answer.
import { type ReadySingle, sendReady } from '#areas/delivery/server/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import type { EarlierCall, KeyedCall } from '#platform/server/http/idempotency.sql.ts';
import { onceTogether } from '#platform/server/http/idempotency.ts';
import { type Together, writeTogether } from '#platform/server/together.ts';

export type Asked = { single: ReadySingle; keyed: KeyedCall | undefined };
export type Accepted = { emailId: string } | { earlier: EarlierCall };
type Outcome = Accepted | { error: unknown };

const AT_ONCE = 100;

const acceptors = new WeakMap<Db, Map<number, Together<Asked, Outcome>>>();

/** Committed when it answers: the email's id, or what the first call under the key left. */
export async function accept(db: Db, accountId: number, asked: Asked): Promise<Accepted> {
  const accounts = acceptors.get(db) ?? new Map<number, Together<Asked, Outcome>>();
  acceptors.set(db, accounts);
  const own =
    accounts.get(accountId) ??
    writeTogether<Asked, Outcome>(AT_ONCE, (all) => acceptAll(db, accountId, all));
  accounts.set(accountId, own);
  const outcome = await own.add(asked).finally(() => {
    if (own.waiting() === 0) accounts.delete(accountId);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

async function acceptAll(db: Db, accountId: number, all: readonly Asked[]): Promise<Outcome[]> {
  const keys = new Set<string>();
  const isFirst = ({ keyed }: Asked) => {
    if (!keyed) return true;
    const isNew = !keys.has(keyed.key);
    keys.add(keyed.key);
    return isNew;
  };
  const first = all.filter(isFirst);
  const outcomes = new Map<Asked, Outcome>();
  const note = (some: readonly Asked[], told: readonly Outcome[]) => {
    for (const [place, one] of some.entries()) outcomes.set(one, told[place] as Outcome);
  };
  note(first, await acceptOrIsolate(db, accountId, first));
  // Those whose key another of them brought are repeats by now.
  const repeats = all.filter((one) => !outcomes.has(one));
  if (repeats.length > 0) note(repeats, await acceptAll(db, accountId, repeats));
  return all.map((one) => outcomes.get(one) as Outcome);
}

/** What the database refuses of one is nobody else's. */
async function acceptOrIsolate(
  db: Db,
  accountId: number,
  some: readonly Asked[],
): Promise<Outcome[]> {
  try {
    return await inTransaction(db, (tx) => acceptWithin(tx, accountId, some));
  } catch (error) {
    if (some.length === 1) return [{ error }];
    const outcomes: Outcome[] = [];
    for (const one of some) outcomes.push(...(await acceptOrIsolate(db, accountId, [one])));
    return outcomes;
  }
}

async function acceptWithin(
  tx: Parameters<Parameters<typeof inTransaction>[1]>[0],
  accountId: number,
  some: readonly Asked[],
): Promise<Outcome[]> {
  const answers = await onceTogether(tx, accountId, some, async (fresh) => {
    const singles = fresh.map(({ single }) => single);
    const ids = await sendReady(tx, accountId, 'transactional', singles);
    return ids.map((id) => {
      const emailId = encodePublicId('email', accountId, id);
      return { emailId, answer: answerOf(emailId), headers: { 'x-message-id': emailId } };
    });
  });
  return answers.map((one) =>
    'done' in one ? { emailId: one.done.emailId } : { earlier: one.earlier },
  );
}

export const answerOf = (emailId: string) => ({
  success: true as const,
  message: 'Email sent',
  emailId,
});
