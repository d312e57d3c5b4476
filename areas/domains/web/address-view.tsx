// The second view of adding a domain: an address of it, which gets an email with a link.
import { Button, Group, Input, Stack, Text } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Domain } from '../contract.ts';
import { localFault } from './add-domain.ts';
import classes from './domains.module.css';
import { api } from './queries.ts';

interface AddressViewProps {
  domain: string;
  /** The local part typed in the first view. */
  local: string;
  back: () => void;
  onAdded: (domain: Domain) => void;
}

export function AddressView({ domain, local, back, onAdded }: AddressViewProps) {
  const t = useTexts('domains');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { local },
    wireNames: { email: 'local' },
    validate: {
      local: (typed) => {
        const fault = localFault(typed, domain);
        return fault ? t(`add.${fault}`) : null;
      },
    },
    send: async (values) => {
      const email = `${values.local.trim()}@${domain}`;
      onAdded((await api('POST /client-api/api/domains', { body: { email } })).data);
    },
  });
  const field = form.getInputProps('local');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('add.addressIntro')}
        </Text>
        <Input.Wrapper id="local" label={t('add.local')} error={form.errors.local}>
          <div className={classes.address} dir="ltr">
            <Input
              id="local"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              data-autofocus
              autoFocus
              aria-describedby="add-domain-rest"
              {...field}
              // Typing replaces the proposed text.
              onFocus={(event) => {
                field.onFocus?.(event);
                event.currentTarget.select();
              }}
            />
            <span id="add-domain-rest" className={classes.rest}>
              @{toUnicodeDomain(domain)}
            </span>
          </div>
        </Input.Wrapper>
        <Group justify="space-between" gap="xs">
          <Button variant="default" onClick={back}>
            {t('add.back')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('add.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
