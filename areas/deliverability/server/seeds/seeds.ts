// Seed mailboxes. A campaign sends a copy to each of them, and the mailboxes are searched for these
// copies later. Copies are sent as test emails, so they do not count in the campaign's statistics.
// A placement is only a hint, because seeds never open or click.
import { z } from 'zod';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import type { MessageFacts } from '#areas/delivery/server/index.ts';
import { sendCopies } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { log } from '#platform/server/log.ts';
import { generateSecret, seal, unseal } from '#platform/server/secrets.ts';
import type { Placement, SeedMailbox } from '../../signals-contract.ts';
import { MAX_SEEDS, type SeedService } from '../../signals-shared.ts';
import { revokeSoon } from '../oauth/revoke.ts';
import { findCopies, MARK_HEADER, openMailbox, SeedError, type SeedLogin } from './imap.ts';
import { refreshSeed, type SeedDependencies } from './seed-services.ts';
import * as store from './seeds.sql.ts';

const PURPOSE = 'seed mailbox';
const MINUTE_MS = 60_000;
/**
 * The times after sending at which a mailbox is searched for the copy. If the last search does not
 * find it, the copy is missing; if the last search fails, its placement is unknown.
 */
const SEARCH_AFTER_MS = [30 * MINUTE_MS, 120 * MINUTE_MS, 360 * MINUTE_MS];
const MAX_PLACEMENTS = 20;

let tools: SeedDependencies = {};
export function configureSeeds(value: SeedDependencies): void {
  tools = value;
}
export const getSeedTools = (): SeedDependencies => tools;

type NewSeed = { email: string; host: string; port: number; login: string; password: string };

/**
 * Adds a mailbox as a seed after logging in to it.
 * @throws `invalid` for a malformed host; `seed_refused`, `seed_unreachable`, `seed_exists`,
 * `too_many_seeds`
 */
export async function addSeed(db: Db, accountId: number, seed: NewSeed): Promise<SeedMailbox> {
  const host = seed.host.toLowerCase();
  if (!/^[a-z0-9.-]+$/.test(host)) throw invalid({ host: ['deliverability:errors.host'] });
  await requireNewSeed(db, accountId, seed.email);
  const { email, port, password } = seed;
  const mailbox = { host, port, login: seed.login || email };
  await openMailbox({ ...mailbox, password }, tools).catch(throwAppError);
  return saveSeed(db, accountId, { ...mailbox, email, secret: password, service: null });
}

/** @throws `seed_exists`, `too_many_seeds` */
export async function requireNewSeed(db: Reader, accountId: number, email: string): Promise<void> {
  const existingSeeds = await store.listSeeds(db, accountId);
  if (existingSeeds.length >= MAX_SEEDS)
    throw new AppError('too_many_seeds', { values: { max: MAX_SEEDS } });
  if (existingSeeds.some((row) => row.email === email.toLowerCase()))
    throw new AppError('seed_exists');
}

export function throwAppError(error: unknown): never {
  if (!(error instanceof SeedError)) throw error;
  throw new AppError(`seed_${error.fault}`);
}

type OpenedSeed = {
  email: string;
  host: string;
  port: number;
  login: string;
  /** The password, or the refresh token of the service. */
  secret: string;
  service: SeedService | null;
};

/**
 * Stores a mailbox that could be opened.
 * @throws `seed_exists`
 */
export async function saveSeed(
  db: Db,
  accountId: number,
  { email, secret, ...mailbox }: OpenedSeed,
): Promise<SeedMailbox> {
  const password = seal(PURPOSE, secret);
  const row = await inTransaction(db, (tx) =>
    store.insertSeed(tx, accountId, {
      ...{ ...mailbox, email: email.toLowerCase(), password, at: clock.now() },
    }),
  );
  if (!row) throw new AppError('seed_exists');
  return presentSeed(row);
}

export async function removeSeed(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.deleteSeed(tx, accountId, id);
  if (!row) throw notFound();
  await revokeSeed(tx, row);
}

async function revokeSeed(tx: Tx, row: store.SeedRow): Promise<void> {
  const service = tools.services?.[row.service as SeedService];
  if (service)
    await revokeSoon(tx, row.account_id, service.urls, () => unseal(PURPOSE, row.password));
}

/** Revokes the access to all seeds, before the account is deleted. */
export async function revokeSeeds(tx: Tx, accountId: number): Promise<void> {
  for (const row of await store.listSeeds(tx, accountId)) await revokeSeed(tx, row);
}

const presentSeed = (row: store.SeedRow): SeedMailbox => ({
  id: encodeId('seed_mailbox', row.id),
  ...{ email: row.email, host: row.host, port: row.port, login: row.login },
  service: row.service as SeedService | null,
  fault: row.fault as SeedMailbox['fault'],
  checked: row.checked_at?.toISOString() ?? null,
});

export const listSeeds = async (db: Reader, accountId: number): Promise<SeedMailbox[]> =>
  (await store.listSeeds(db, accountId)).map(presentSeed);

export async function listPlacements(db: Reader, accountId: number): Promise<Placement[]> {
  const messages = new Map<number, Placement>();
  for (const row of await store.listNewestCopies(db, accountId, MAX_PLACEMENTS)) {
    const placement = messages.get(row.message_id) ?? {
      ...{ subject: row.subject ?? '', sent: row.sent_at.toISOString(), copies: [] },
    };
    messages.set(row.message_id, placement);
    placement.copies.push({
      ...{ email: row.email, folder: row.folder, is_encrypted: row.is_encrypted },
      place: readPlacement(row),
    });
  }
  return [...messages.values()];
}

/**
 * Returns the placement of a copy; null while further searches are due. It is `unknown` if the last
 * search failed, because this is no evidence that the copy is missing.
 */
export function readPlacement({
  place,
  settled_at: settledAt,
}: Pick<store.CopyRow, 'place' | 'settled_at'>): Placement['copies'][number]['place'] {
  if (place !== null) return place as 'inbox';
  return settledAt === null ? null : 'unknown';
}

export const seedCopiesJob = defineJob({
  name: 'deliverability.seed_copies',
  payload: z.object({ accountId: z.number(), messageId: z.number() }),
  run: ({ accountId, messageId }, { db }) => sendSeedCopies(db, accountId, messageId),
});

/**
 * Adds the job on the first handoff of an email campaign. Each variant of an experiment has its own
 * copies.
 */
export async function createStartHandler(tx: Tx, message: MessageFacts): Promise<void> {
  if (message.kind !== 'campaign') return;
  const { accountId, messageId } = message;
  if ((await store.listSeeds(tx, accountId)).length === 0) return;
  const key = `deliverability.seed_copies:${accountId}:${messageId}`;
  await addJob(tx, seedCopiesJob, { accountId, messageId }, { key });
}

async function sendSeedCopies(db: Db, accountId: number, messageId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const at = clock.now();
    const mark = generateSecret();
    const searchAt = new Date(at.getTime() + (SEARCH_AFTER_MS[0] ?? 0));
    const ids = new Set(
      await store.insertCopies(tx, accountId, { messageId, mark, at, lookAt: searchAt }),
    );
    const seeds = (await store.listSeeds(tx, accountId)).filter(({ id }) => ids.has(id));
    await sendCopies(tx, {
      ...{ accountId, messageId, recipients: seeds.map(({ email }) => email) },
      headers: [{ name: MARK_HEADER, value: mark }],
    });
  });
}

/** Searches the mailboxes with copies that are due. */
export async function searchForCopies(
  db: Db,
  accountId: number,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const bySeed = new Map<number, store.DueCopy[]>();
  for (const copy of await store.listDueCopies(db, accountId, now)) {
    bySeed.set(copy.seed_id, [...(bySeed.get(copy.seed_id) ?? []), copy]);
  }
  if (signal.aborted) return;
  // Mailboxes are searched concurrently, so an unresponsive one delays only itself.
  await Promise.all(
    [...bySeed].map(async ([seedId, copies]) => {
      const seed = await store.findSeed(db, accountId, seedId);
      if (seed) await searchMailbox(db, accountId, seed, copies, now);
    }),
  );
}

async function searchMailbox(
  db: Db,
  accountId: number,
  seed: store.SeedRow,
  copies: readonly store.DueCopy[],
  now: Date,
): Promise<void> {
  const marks = copies.map(({ mark }) => mark);
  const search = async () => findCopies(await readLogin(db, accountId, seed), marks, tools);
  const result = await search().catch((error: unknown) => {
    if (!(error instanceof SeedError)) throw error;
    log.info('Could not search a seed mailbox', { account: accountId, reason: error.message });
    return error.fault;
  });
  const fault = typeof result === 'string' ? result : null;
  await inTransaction(db, async (tx) => {
    await store.updateSeed(tx, accountId, seed.id, { fault, checked_at: now });
    for (const copy of copies) {
      const copyFound = typeof result === 'string' ? undefined : result.get(copy.mark);
      const changes = copyFound
        ? { place: copyFound.place, folder: copyFound.folder, is_encrypted: copyFound.isEncrypted }
        : undefined;
      const next = changes ? undefined : computeNextSearch(copy, now);
      await store.updateCopy(tx, accountId, copy.message_id, copy.seed_id, {
        ...(changes ?? (next || fault ? {} : { place: 'missing' })),
        ...{ look_at: next ?? null, settled_at: next ? null : now },
      });
    }
  });
}

async function readLogin(db: Db, accountId: number, seed: store.SeedRow): Promise<SeedLogin> {
  const { host, port, login } = seed;
  const secret = unseal(PURPOSE, seed.password);
  if (seed.service === null) return { host, port, login, password: secret };
  const { accessToken, refreshToken } = await refreshSeed(
    tools,
    seed.service as SeedService,
    secret,
  );
  if (refreshToken !== undefined && refreshToken !== secret) {
    const password = seal(PURPOSE, refreshToken);
    await inTransaction(db, (tx) => store.updateSeed(tx, accountId, seed.id, { password }));
  }
  return { host, port, login, accessToken };
}

function computeNextSearch({ sent_at: sentAt }: store.DueCopy, now: Date): Date | undefined {
  const next = SEARCH_AFTER_MS.map((ms) => new Date(sentAt.getTime() + ms)).find((at) => at > now);
  return next;
}

export const seedsPoller: Poller = {
  name: 'deliverability.seeds',
  intervalMs: 5 * MINUTE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => searchForCopies(db, accountId, signal)),
};
