// The door of SMS: campaigns of texts, what they are sent from, what people answer.
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { smsRoutes } from './routes.ts';

export function area(config: Config): Area {
  // The built-in phone gives test numbers and approves every form; there is none in production.
  const isBuiltIn = !config.isProduction;
  return {
    name: 'sms',
    routes: smsRoutes({
      publicUrl: config.publicUrl,
      provider: isBuiltIn ? 'phone' : 'none',
      verifier: isBuiltIn ? { submit: async () => 'approved' } : undefined,
      offered: async () => (isBuiltIn ? TEST_NUMBERS : []),
    }),
  };
}

/** 555-0100 to 0199 are kept for fiction: nobody is ever reached from them. */
const TEST_NUMBERS = Array.from({ length: 10 }, (_, at) => `+1833555010${at}`);
