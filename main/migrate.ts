// `npm run migrate`: migrates the schema and exits, for deployments that migrate before starting a
// new version's roles.
import { prepareCommand } from './prepare.ts';

try {
  const { migrated, pending, close } = await prepareCommand();
  console.log(
    migrated.length > 0
      ? `Migrated the database: ${migrated.join(', ')}.`
      : 'The database is up to date.',
  );
  if (pending.length > 0) {
    console.log(
      `Pending until all processes of the previous version have stopped: ${pending.join(', ')}.`,
    );
  }
  await close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
