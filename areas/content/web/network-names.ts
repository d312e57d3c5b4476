// Names of social links in the language of the user.
import { useTexts } from '#platform/web/texts/texts.ts';
import { nameNetworks, type NetworkNames } from '../network-names.ts';

export function useNetworkNames(): NetworkNames {
  const t = useTexts('content.words');
  return nameNetworks((link) => t(`links.${link}`));
}
