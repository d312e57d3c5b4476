// A hint on the screens that ask for a service's key: an exported file needs no key and contains
// more data.
import { Alert, Anchor } from '@mantine/core';
import { IconFileZip } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { ExportService } from '../shared.ts';
import { serviceNames } from '../service-names.ts';

export function ExportInstead({ service }: { service: ExportService }) {
  const t = useTexts('imports');
  return (
    <Alert
      color="gray"
      icon={<IconFileZip size={18} stroke={1.75} />}
      title={t('key.exportTitle', { service: serviceNames[service] })}
    >
      <p>{t(`switch.how.${service}`)}</p>
      <Anchor
        component={ScreenLink}
        to="/subscribers/import/switch"
        search={{ from: service }}
        size="sm"
      >
        {t('key.export')}
      </Anchor>
    </Alert>
  );
}
