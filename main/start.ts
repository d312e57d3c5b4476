// `npm start`: the process that starts and stops all others. It starts the embedded database
// (unless DATABASE_URL names another), the migrations, the build of the web client, and then the
// roles.
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { isProductionEnvironment } from '#platform/server/config.ts';
import { configureLog, log } from '#platform/server/log.ts';
import { announce, runProduct } from './product.ts';

try {
  announce(await runProduct(process.argv.slice(2)));
} catch (error) {
  const isExpected = error instanceof CannotStart;
  if (isProductionEnvironment(process.env)) {
    // Written regardless of LOG_LEVEL, because the reason appears nowhere else.
    configureLog({ level: 'error', json: true, role: 'start' });
    if (isExpected) log.error('Could not start', { reason: error.message });
    else log.error('Could not start', { error });
  } else console.error(isExpected ? `Could not start. ${error.message}` : error);
  process.exit(1);
}
