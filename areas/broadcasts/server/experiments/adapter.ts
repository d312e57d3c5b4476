// Interface of a kind of broadcast with experiments: what its variants may change, and how they are
// started. Settings, split, checks, the decision and the holdout group are the same for email and
// SMS.
import type { ExperimentMetric } from '../../shared.ts';
import type { Kind } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import type { VariantChanges, VariantRow } from './rows.ts';

export type VariantInput = { delay_minutes?: number | null | undefined };

export interface ExperimentAdapter<
  Row extends BroadcastRow = BroadcastRow,
  Variant extends VariantRow = VariantRow,
  Input extends VariantInput = VariantInput,
  Shown extends object = object,
> {
  broadcast: BroadcastAdapter<Row>;
  experimentKind: Kind;
  metrics: readonly ExperimentMetric[];
  /** Id of the existing variant that an input changes; undefined for a new variant. */
  getVariantId(input: Input): number | undefined;
  /** Whether the variant changes anything other than the send time. */
  changesMessage(input: Input): boolean;
  /** Columns of a variant that the input sets. */
  buildColumns(
    tx: Tx,
    caller: Actor,
    row: Row,
    input: Input,
    existing?: Variant,
  ): Promise<VariantChanges>;
  /** A copy of the variant for another campaign. */
  copyVariant(
    tx: Tx,
    accountId: number,
    userId: number | null,
    variant: Variant,
  ): Promise<VariantChanges>;
  /** Contract fields in addition to the fields of every variant. */
  presentFields(row: Row, variant: Variant): Shown;
  /** Expected response rate: the rate of the account's last broadcasts, or a default. */
  estimateRate(db: Reader, accountId: number, metric: ExperimentMetric): Promise<number>;
}
