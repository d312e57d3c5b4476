// The row of an SMS campaign's variant.
import type { Selectable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';

export type SmsVariant = Selectable<DB['sms_variants']>;
