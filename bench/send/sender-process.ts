// The sender of the benchmark in a separate process, which reports its CPU time and peak memory on
// request.
import { startRole } from '#main/role.ts';
import { loadConfig } from '#platform/server/config.ts';

const sender = await startRole('sender', loadConfig(process.env));

process.on('message', async (request) => {
  if (request === 'usage') {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, peak: process.resourceUsage().maxRSS * 1024 });
  } else if (request === 'stop') {
    await sender.close();
    process.exit(0);
  }
});
process.send?.('ready');
