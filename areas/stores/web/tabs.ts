// Tabs of the store pages.
import { useTexts } from '#platform/web/texts/texts.ts';

export function useStoreTabs() {
  const t = useTexts('stores');
  return [
    { to: '/settings/connected-stores', label: t('tabs.stores') },
    { to: '/settings/connected-stores/orders', label: t('tabs.orders') },
    { to: '/settings/connected-stores/products', label: t('tabs.products') },
  ];
}
