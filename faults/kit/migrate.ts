// Migrates the database of the first argument, in a process of its own that can be killed.
import { migrateDatabase } from '#main/prepare.ts';

process.send?.('begins');
await migrateDatabase(process.argv[2] ?? '');
process.send?.('done');
process.disconnect?.();
