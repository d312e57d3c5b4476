// One pull of a store in its own process, so that it can be killed: node store-import.ts <account>
// <store>.
import { configureAdapters } from '#areas/stores/server/adapter.ts';
import { configureStores } from '#areas/stores/server/settings.ts';
import { syncStore } from '#areas/stores/server/sync.ts';
import { adoptDatabaseTime, createDatabase } from '#platform/server/database/database.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';

const [accountId, storeId] = process.argv.slice(2).map(Number);
configureSecrets(process.env.SECRET as string);
configureAdapters([woocommerce({ isLocal: true })]);
configureStores({ publicUrl: 'https://sendloom.example', demo: undefined });
const db = createDatabase(process.env.DATABASE_URL as string, 3, 'faults');
await adoptDatabaseTime(db);
await syncStore(db, accountId as number, storeId as number, new AbortController().signal);
await db.destroy();
