// Settings of the installation for stores.
export type DemoCatalog = {
  domain: string;
  title: string;
  currency: string;
  products: readonly {
    id: string;
    sku: string;
    title: string;
    description: string;
    price: number;
    oldPrice?: number | undefined;
    category: string;
  }[];
};

export type StoresSettings = {
  publicUrl: string;
  /** Catalog of the demo store; undefined if there is none. */
  demo: DemoCatalog | undefined;
};

let settings: StoresSettings | undefined;

export function configureStores(newSettings: StoresSettings): void {
  settings = newSettings;
}

export function getStoresSettings(): StoresSettings {
  if (!settings) throw new Error('Stores are not configured.');
  return settings;
}
