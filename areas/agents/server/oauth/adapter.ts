// Storage of the authorization server in PostgreSQL. Ids are hashed and payloads sealed: codes and
// refresh tokens are secrets.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { hashSecret, seal, unseal } from '#platform/server/secrets.ts';
import * as store from './state.sql.ts';

const PURPOSE = 'state of the authorization server';
/** Parallel processes of a client share a refresh token: a second use within this time is no theft. */
const REUSE_GRACE_MS = 60_000;
/** Of clients that no user has connected. */
const CLIENT_DAYS = 30;
const DAY_MS = 86_400_000;

export type StatePayload = Record<string, unknown> & { grantId?: string; uid?: string };

export const stateKey = (kind: string, id: string) => ({ kind, id: hashSecret(id) });

export class StateAdapter {
  readonly #db: Db;
  readonly #kind: string;

  constructor(db: Db, kind: string) {
    this.#db = db;
    this.#kind = kind;
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

  #read(row: { payload: Buffer; consumed_at: Date | null } | undefined): StatePayload | undefined {
    if (!row) return undefined;
    const payload = JSON.parse(unseal(PURPOSE, row.payload)) as StatePayload;
    if (!row.consumed_at) return payload;
    const sinceUse = clock.now().getTime() - row.consumed_at.getTime();
    if (this.#kind === 'RefreshToken' && sinceUse < REUSE_GRACE_MS) return payload;
    return { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) };
  }

  async consume(id: string): Promise<void> {
    await store.consumeState(this.#db, stateKey(this.#kind, id), clock.now());
  }

  async destroy(id: string): Promise<void> {
    await store.deleteState(this.#db, stateKey(this.#kind, id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await store.deleteStateOfGrant(this.#db, grantId);
  }
}
