// The built-in demo shop for trying store connections; never in production.
import { findDemoStore, listDemoStores } from '#areas/stores/server/index.ts';
import { encodeAccountKey, encodeId } from '#platform/ids.ts';
import type { Config } from '#platform/server/config.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { demoShopRoutes } from '#providers/demo-shop/index.ts';

export function demoShopPlugins({ isProduction }: Config) {
  if (isProduction) return [];
  return [
    demoShopRoutes({
      getLanguage: requestLanguage,
      listStores: (app) => listDemoStores(app.db),
      find: async (app, id) => {
        const store = await findDemoStore(app.db, id);
        return (
          store && {
            resourceKey: encodeAccountKey(store.accountId),
            storeId: encodeId('store', store.storeId),
            hookUrl: store.hookUrl,
            hookSecret: store.hookSecret,
          }
        );
      },
    }),
  ];
}
