// The second step of adding a domain: an address at the domain that receives the confirmation link.
import { Button, Group, Input, Stack, Text } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Domain } from '../contract.ts';
import { validateLocalPart } from './add-domain.ts';
import classes from './domains.module.css';
import { api } from './queries.ts';

interface AddressViewProps {
  domain: string;
  /**
   * The proposed local part, from an address typed in the first step or from the user's address.
   */
  localPart: string;
  onBack: () => void;
  onAdded: (domain: Domain) => void;
}

export function AddressView({ domain, localPart, onBack, onAdded }: AddressViewProps) {
  const t = useTexts('domains');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { local: localPart },
    apiFieldNames: { email: 'local' },
    validate: {
      local: (input) => {
        const error = validateLocalPart(input, domain);
        return error ? t(`add.${error}`) : null;
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
              // The proposed local part is selected on focus, so that typing replaces it.
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
          <Button variant="default" onClick={onBack}>
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
