// `npm start`: the one process that starts all others, and stops them: the embedded database (unless
// DATABASE_URL names another), the migrations, the web client's build, then the roles.
import { CannotStart } from '#platform/server/cannot-start.ts';
import { announce, runProduct } from './product.ts';

try {
  announce(await runProduct(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof CannotStart)) console.error(error);
  else console.error(`Sendloom cannot start. ${error.message}`);
  process.exit(1);
}
