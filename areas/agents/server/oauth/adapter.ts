// Stores the authorization server's state in PostgreSQL. IDs are hashed and payloads are encrypted,
// because codes and refresh tokens are secrets.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { hashSecret, seal, unseal } from '#platform/server/secrets.ts';
import { revokeGrantByOauth } from './grants.sql.ts';
import * as store from './state.sql.ts';
import { parseSubject } from './subject.ts';

const PURPOSE = 'state of the authorization server';
/**
 * A client's parallel processes share a refresh token, so a second use within this time is not a
 * theft.
 */
const REUSE_GRACE_MS = 60_000;
/** Days to store a client that no user has connected. */
const CLIENT_DAYS = 30;
const DAY_MS = 86_400_000;
/** A connection, and a client that a user has connected, ends after this many days without use. */
export const CONNECTION_DAYS = 90;

export const computeConnectionEnd = (at: Date) => new Date(at.getTime() + CONNECTION_DAYS * DAY_MS);

export type StatePayload = Record<string, unknown> & { grantId?: string; uid?: string };

export const stateKey = (kind: string, id: string) => ({ kind, id: hashSecret(id) });

const unsealPayload = ({ payload }: { payload: Buffer }) =>
  JSON.parse(unseal(PURPOSE, payload)) as StatePayload;

/**
 * Ends the connection of a grant: access tokens are refused immediately, and its codes and refresh
 * tokens are deleted.
 */
export async function endConnection(db: Db, grantId: string): Promise<void> {
  const at = clock.now();
  const key = stateKey('Grant', grantId);
  const row = await store.findState(db, key, at);
  const subject = row && unsealPayload(row).accountId;
  if (typeof subject === 'string') {
    await revokeGrantByOauth(db, parseSubject(subject), grantId, at);
  }
  await store.deleteStateOfGrant(db, grantId);
  await store.deleteState(db, key);
}

/**
 * Stores one kind of state. `refusal` creates the error for a code that another request has used.
 */
export class StateAdapter {
  readonly #db: Db;
  readonly #kind: string;
  readonly #refusal: () => Error;

  constructor(db: Db, kind: string, refusal: () => Error) {
    this.#db = db;
    this.#kind = kind;
    this.#refusal = refusal;
  }

  async upsert(id: string, payload: StatePayload, expiresIn?: number): Promise<void> {
    const lifeMs = this.#kind === 'Client' ? CLIENT_DAYS * DAY_MS : expiresIn && expiresIn * 1000;
    await store.saveState(this.#db, stateKey(this.#kind, id), {
      payload: seal(PURPOSE, JSON.stringify(payload)),
      grant_id: payload.grantId ?? null,
      uid: payload.uid ?? null,
      expires_at: lifeMs ? new Date(clock.now().getTime() + lifeMs) : null,
    });
  }

  async find(id: string): Promise<StatePayload | undefined> {
    return this.#read(await store.findState(this.#db, stateKey(this.#kind, id), clock.now()));
  }

  async findByUid(uid: string): Promise<StatePayload | undefined> {
    return this.#read(await store.findStateByUid(this.#db, this.#kind, uid, clock.now()));
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  #read(
    row: { payload: Buffer; expires_at: Date | null; consumed_at: Date | null } | undefined,
  ): StatePayload | undefined {
    if (!row) return undefined;
    const payload = unsealPayload(row);
    // Each use of a connection extends its grant.
    if (this.#kind === 'Grant' && row.expires_at) payload.exp = toSeconds(row.expires_at);
    if (!row.consumed_at) return payload;
    const sinceUse = clock.now().getTime() - row.consumed_at.getTime();
    if (this.#kind === 'RefreshToken' && sinceUse < REUSE_GRACE_MS) return payload;
    return { ...payload, consumed: toSeconds(row.consumed_at) };
  }

  /** Two requests may have read a code as unused, so the second one ends the connection. */
  async consume(id: string): Promise<void> {
    const key = stateKey(this.#kind, id);
    const at = clock.now();
    if (await store.consumeState(this.#db, key, at)) return;
    if (this.#kind === 'RefreshToken') return;
    const row = await store.findState(this.#db, key, at);
    if (row?.grant_id) await endConnection(this.#db, row.grant_id);
    throw this.#refusal();
  }

  async destroy(id: string): Promise<void> {
    if (this.#kind === 'Grant') await endConnection(this.#db, id);
    else await store.deleteState(this.#db, stateKey(this.#kind, id));
  }

  /**
   * Ends the connection of a grant. When the library revokes a grant, it calls both this method and
   * `destroy`; ending a connection again has no effect.
   */
  async revokeByGrantId(grantId: string): Promise<void> {
    await endConnection(this.#db, grantId);
  }
}

const toSeconds = (at: Date) => Math.floor(at.getTime() / 1000);
