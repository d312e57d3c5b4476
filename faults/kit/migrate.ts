// Migrates the database of the first argument, in a separate process that can be killed.
import { migrateDatabase } from '#main/prepare.ts';

process.send?.('begins');
await migrateDatabase(process.argv[2] ?? '');
process.send?.('done');
process.disconnect?.();
