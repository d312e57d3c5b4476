// Rows of experiments and variants of any kind of broadcast.
import type { Selectable, Updateable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';

/**
 * The tables of all kinds have the columns of these two, so statements do not depend on the kind.
 */
export type AnyExperiments = 'campaign_experiments';
export type AnyVariants = 'campaign_variants';

export type ExperimentRow = Selectable<DB[AnyExperiments]>;
export type ExperimentChanges = Updateable<DB[AnyExperiments]>;

/** Columns that the adapter sets. */
export type VariantChanges = Updateable<DB[AnyVariants]> | Updateable<DB['sms_variants']>;
export type NewVariant = Updateable<DB[AnyVariants]> & { number: number };

/** Columns that the variants of all kinds have. */
export type VariantRow = Pick<
  Selectable<DB[AnyVariants]>,
  | 'account_id'
  | 'id'
  | 'campaign_id'
  | 'number'
  | 'revision'
  | 'delay_minutes'
  | 'message_id'
  | 'mean_handed_at'
>;
