// Migrates the database at the URL in the first argument. It runs in a separate process, which can
// be killed.
import { migrateDatabase } from '#main/prepare.ts';

process.send?.('begins');
await migrateDatabase(process.argv[2] ?? '');
process.send?.('done');
process.disconnect?.();
