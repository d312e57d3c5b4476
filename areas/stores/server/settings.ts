// What stores have to know of the installation.
export type DemoCatalogue = {
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
  /** What the demo shop sells; undefined where this installation has none. */
  demo: DemoCatalogue | undefined;
};

let settings: StoresSettings | undefined;

export function configureStores(given: StoresSettings): void {
  settings = given;
}

export function storesSettings(): StoresSettings {
  if (!settings) throw new Error('Stores are not configured.');
  return settings;
}
