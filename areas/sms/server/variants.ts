// The row of a variant of an SMS campaign.
import type { Selectable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';

export type SmsVariant = Selectable<DB['sms_variants']>;
