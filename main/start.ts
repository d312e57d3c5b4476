// `npm start`: the process that starts and stops all others: the embedded database (unless
// DATABASE_URL names another), the migrations, the build of the web client, then the roles.
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { announce, runProduct } from './product.ts';

try {
  announce(await runProduct(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof CannotStart)) console.error(error);
  else console.error(`Sendloom cannot start. ${error.message}`);
  process.exit(1);
}
