// Switching from another service in one place: how to export there, the exported file, and the
// service's templates.
import { Anchor, Radio, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type ExportService, EXPORT_SERVICES } from '../shared.ts';
import { ImportTemplates } from './import-templates.tsx';
import { FileSource } from './file-source.tsx';
import { ImportPage } from './import-page.tsx';
import classes from './switch-screen.module.css';
import { serviceNames } from '../service-names.ts';
import { useSource } from './use-source.ts';

const address = { from: parseOneOf(EXPORT_SERVICES, 'mailchimp') };
/** Services that also let subscribers be fetched with a key. */
const WITH_KEYS: readonly ExportService[] = ['mailchimp', 'getresponse'];

export default function SwitchScreen() {
  const t = useTexts('imports');
  const source = useSource();
  const [{ from }, set] = useSearchParams(address);
  if (source.id !== '') {
    return (
      <ImportPage>
        <FileSource />
      </ImportPage>
    );
  }
  return (
    <ImportPage>
      <Radio.Group
        label={t('switch.choose')}
        value={from}
        onChange={(value) => set({ from: value as ExportService })}
      >
        <div className={classes.services}>
          {EXPORT_SERVICES.map((service) => (
            <Radio key={service} value={service} label={serviceNames[service]} />
          ))}
        </div>
      </Radio.Group>
      <section>
        <Title order={2} className={classes.step}>
          {t('switch.peopleTitle')}
        </Title>
        <Text size="sm" mb="sm" className={classes.how}>
          {t(`switch.how.${from}`)}
        </Text>
        <FileSource />
        {WITH_KEYS.includes(from) && (
          <Anchor component={Link} to={`/subscribers/import/${from}`} size="sm">
            {t('switch.key')}
          </Anchor>
        )}
      </section>
      <section>
        <Title order={2} className={classes.step}>
          {t('switch.templatesTitle')}
        </Title>
        <ImportTemplates />
      </section>
    </ImportPage>
  );
}
