// UTM parameters of one campaign. A blank parameter uses the account's default, which is shown as
// its placeholder.
import { Anchor, Collapse, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { BUILT_IN_UTM, UTM_NAMES, type UtmChannel, type UtmName } from '../../../content/utm.ts';
import type { utmCalls } from '../../../content/utm-contract.ts';
import { UtmField } from './utm-field.tsx';

const api = client<typeof utmCalls>();

interface UtmOverrideProps {
  channel: UtmChannel;
  getInputProps: (name: UtmName) => object;
}

export default function UtmOverrideFields({ channel, getInputProps }: UtmOverrideProps) {
  const t = useTexts('broadcasts');
  const defaults = useQuery({
    ...api.query('GET /client-api/api/utm'),
    meta: { notFound: 'inline' },
  }).data?.data;
  const otherNames = UTM_NAMES.filter((name) => name !== 'campaign');
  const getBoundProps = (name: UtmName) =>
    getInputProps(name) as { value?: string; error?: unknown };
  // Open if there is a value so that no value or error is hidden.
  const [isChosen, setOpen] = useState(() => otherNames.some((name) => getBoundProps(name).value));
  const isOpen = isChosen || otherNames.some((name) => getBoundProps(name).error);
  const renderField = (name: UtmName) => (
    <UtmField
      key={name}
      label={t(`utm.names.${name}`)}
      placeholder={defaults?.[name] || BUILT_IN_UTM[channel][name]}
      inputProps={getInputProps(name)}
    />
  );
  return (
    <Stack gap="sm">
      {renderField('campaign')}
      <div>
        <UnstyledButton
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
        >
          <Text size="sm" fw={600}>
            {t('utm.more')}
          </Text>
          <IconChevronDown size={16} stroke={1.75} aria-hidden="true" />
        </UnstyledButton>
        <Collapse expanded={isOpen}>
          <Stack gap="sm" mt="xs">
            {otherNames.map(renderField)}
          </Stack>
        </Collapse>
      </div>
      <Text size="xs" c="dimmed">
        {t('utm.overrideHint')}{' '}
        <Anchor component={Link} to="/settings/utm" size="xs">
          {t('utm.toDefaults')}
        </Anchor>
      </Text>
    </Stack>
  );
}
