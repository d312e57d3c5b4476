// The model of an account, chosen by an administrator. Without one, assistance is off.
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { seal } from '#platform/server/secrets.ts';
import type { ModelPrices, ModelSettings } from '../contract.ts';
import type { Protocol } from '../shared.ts';
import { getPrices } from './costs.ts';
import { queryModel, isHostAllowed, KEY_PURPOSE, findQueryModel } from './query-model.ts';
import * as store from './models.sql.ts';

const MAX_SHOWN = 200;

export async function readSettings(db: Reader, accountId: number): Promise<ModelSettings> {
  const row = await store.findModel(db, accountId);
  const { tokens, cost } = await store.useOfMonth(db, accountId, clock.now());
  return {
    is_on: row !== undefined,
    protocol: (row?.protocol as Protocol | undefined) ?? null,
    address: row?.address ?? null,
    model: row?.model ?? null,
    has_key: row?.key != null,
    monthly_tokens: row?.monthly_tokens == null ? null : Number(row.monthly_tokens),
    used_tokens: tokens,
    prices: row ? getPrices(row) : null,
    cost,
  };
}

type Input = {
  protocol: Protocol;
  address: string;
  model: string;
  key?: string | null | undefined;
  monthly_tokens: number | null;
  prices: ModelPrices | null;
};

/**
 * Saves the settings. A stored key is kept only for the address and protocol it was entered for.
 * @throws host_private
 */
export async function saveSettings(
  tx: Tx,
  accountId: number,
  { protocol, address, model, key, monthly_tokens, prices }: Input,
): Promise<ModelSettings> {
  if (!isHostAllowed(address))
    throw new AppError('host_private', { errors: { address: ['errors.host_private'] } });
  const previous = await store.findModel(tx, accountId);
  const isSame = previous?.address === address && previous.protocol === protocol;
  const storedKey = isSame ? (previous.key ?? null) : null;
  await store.saveModel(tx, {
    account_id: accountId,
    protocol,
    address,
    model,
    key: key === undefined ? storedKey : key ? seal(KEY_PURPOSE, key) : null,
    monthly_tokens,
    price_in: prices?.input ?? null,
    price_out: prices?.output ?? null,
    currency: prices?.currency ?? null,
    modified_at: clock.now(),
  });
  return readSettings(tx, accountId);
}

export async function testModel(db: Db, accountId: number) {
  const startedAt = performance.now();
  const { text } = await queryModel(db, await findQueryModel(db, accountId), {
    system: 'Answer with the single word: ready',
    text: 'Are you ready?',
    maxTokens: 100,
  });
  return {
    answer: text.trim().slice(0, MAX_SHOWN),
    milliseconds: Math.round(performance.now() - startedAt),
  };
}
